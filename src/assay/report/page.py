"""The page of a reproduction: one HTML file with its figures, tables, verdicts and provenance, that opens offline.

Everything is inside: pictures and tables are data addresses, the style is a block, there is no script. The page follows
the reader's light or dark setting, and so do the figures, which are drawn again for it from their tables.
"""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from assay.errors import StoreError
from assay.report.markup import Html, attributes, element, join, text
from assay.report.origin import Origin, find_origin
from assay.report.style import STYLE
from assay.studies.base import Experiment, Study, find_study
from assay.studies.claims import Entry, Verdict, read_ledger
from assay.studies.ledger import FILE, contradicted

PAGE = "index.html"
ROWS = 12
"""Rows of a table that are shown; the file has all."""
PICTURES, TABLES = 2_600_000, 900_000
"""Bytes of all pictures and of all tables: beyond, pictures are bitmaps and the largest tables links to their files.
In the page they are a third larger, so that it stays below 5 MB."""
ZOOM = 1.5
"""A screen is read from further away than a page of paper."""

SIGNS = {Verdict.HOLDS: "&#10003;", Verdict.FAILS: "&#10007;", Verdict.UNDECIDED: "?"}


@dataclasses.dataclass(frozen=True)
class Figure:
    """What a folder holds of one experiment."""

    experiment: Experiment
    caption: str
    table: pl.DataFrame
    csv: bytes  # nothing where it is too large for the page
    pictures: tuple[tuple[str, bytes], ...]  # media query ("" for the picture of last resort) and data, dark one first
    kind: str  # of the pictures: svg or png
    width: float  # inches


def write_page(folder: Path | str, command: str = "") -> Path:
    """Writes `index.html` into a folder that `assay reproduce` has filled; `command` is what made it."""
    base = Path(folder)
    try:
        entries = read_ledger(base / FILE)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{base} must hold the {FILE} of a reproduction, and it cannot be read: {error}") from error
    if not entries:
        raise StoreError(f"{base / FILE} must have at least one claim, got none; reproduce an experiment first")
    study = find_study(entries[0].study)
    entries = [entry for entry in entries if entry.study == study.name]
    page = render(study, entries, _figures(base, study), find_origin(base, study), command)
    path = base / PAGE
    try:
        path.write_text(str(page), encoding="utf-8")
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror or error}; choose another folder") from error
    return path


def render(study: Study, entries: Sequence[Entry], figures: Sequence[Figure], origin: Origin, command: str) -> Html:
    """The whole page."""
    links = [
        ("verdicts", "Verdicts"),
        *((f.experiment.name, f.experiment.title) for f in figures),
        ("origin", "Provenance"),
    ]
    nav = join(element("li", element("a", text(name), href=f"#{place}")) for place, name in links)
    head = join(
        [
            Html('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
            Html('<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">'),
            element("title", text(f"{study.title} - Assay")),
            element("style", Html(STYLE)),
        ]
    )
    body = join(
        [
            element("a", text("Skip to the verdicts"), class_="skip", href="#verdicts"),
            _header(study, entries, origin),
            element("nav", element("ul", nav), aria_label="Contents"),
            element(
                "main", join([_verdicts(entries), *(_figure(f, entries) for f in figures), _origin(origin, command)])
            ),
        ]
    )
    return Html(f'<!DOCTYPE html>\n<html lang="en">\n<head>{head}</head>\n<body>\n{body}\n</body>\n</html>\n')


def _header(study: Study, entries: Sequence[Entry], origin: Origin) -> Html:
    counts = [
        (Verdict.HOLDS, sum(entry.verdict == Verdict.HOLDS for entry in entries), "hold"),
        (Verdict.FAILS, len(contradicted(entries)), "fail"),
        ("errata", sum(_is_erratum(entry) for entry in entries), "wrong as printed"),
        (Verdict.UNDECIDED, sum(entry.verdict == Verdict.UNDECIDED for entry in entries), "undecided"),
    ]
    chips = [element("li", text(f"{count} {word}"), class_=f"badge {name}") for name, count, word in counts if count]
    scales = " and ".join(sorted({entry.scale for entry in entries}))
    facts = [f"scale {scales}", f"{origin.trials:,} trials", *([origin.created] if origin.created else [])]
    return element(
        "header",
        join(
            [
                element("p", text("Assay, a reproduction of"), class_="kicker"),
                element("h1", text(study.title)),
                element("p", text(study.paper), class_="paper"),
                element("ul", join(chips), class_="chips", aria_label="Verdicts in short"),
                element("p", join(map(text, facts), " &middot; "), class_="facts"),
            ]
        ),
    )


def _verdicts(entries: Sequence[Entry]) -> Html:
    columns = ("Claim", "Verdict", "Value", "Statement and criterion", "Numbers")
    rows = []
    for entry in entries:
        said = join(
            [
                element("p", text(entry.statement)),
                element("p", text(entry.source), class_="source"),
                _labelled("Criterion", entry.criterion),
                *([_labelled("Note", entry.note)] if entry.note else []),
            ]
        )
        link = element("a", text(entry.experiment), href=f"#{entry.experiment}", title="the table that decided it")
        cells = [element("td", cell) for cell in (_badge(entry), _value(entry), said, link)]
        rows.append(element("tr", join([element("th", text(entry.id), scope="row"), *cells]), id=f"claim-{entry.id}"))
    head = element("tr", join(element("th", text(column), scope="col") for column in columns))
    table = element("table", join([element("thead", head), element("tbody", join(rows))]), class_="verdicts")
    scrollable = element("div", table, class_="scroll", tabindex="0", role="region", aria_label="Verdicts")
    return element("section", join([element("h2", text("Verdicts")), scrollable]), id="verdicts")


def _labelled(label: str, words: str) -> Html:
    return element("p", join([element("b", text(f"{label} ")), text(words)]), class_="more")


def _badge(entry: Entry) -> Html:
    name = "errata" if _is_erratum(entry) else entry.verdict
    words = "fails as printed" if _is_erratum(entry) else entry.verdict
    sign = Html(SIGNS[Verdict(entry.verdict)])
    return element("span", join([element("span", sign, aria_hidden="true"), text(f" {words}")]), class_=f"badge {name}")


def _value(entry: Entry) -> Html:
    if entry.value is None:
        return text("-")
    low, high = entry.interval or (None, None)
    interval = "" if entry.interval is None else f"[{_number(low)}, {_number(high)}]"
    return join([text(_number(entry.value)), Html(" "), element("span", text(interval), class_="interval")])


def _figure(figure: Figure, entries: Sequence[Entry]) -> Html:
    experiment = figure.experiment
    own = [entry for entry in entries if entry.experiment == experiment.name]
    badges = join(
        element("li", join([element("a", text(entry.id), href=f"#claim-{entry.id}"), Html(" "), _badge(entry)]))
        for entry in own
    )
    parts = [
        element("h2", text(experiment.title)),
        element("p", text(experiment.source), class_="source"),
        element("figure", join([_picture(figure), element("figcaption", text(figure.caption))])),
        element("ul", badges, class_="decided", aria_label="Claims that it decides"),
        _table(figure),
    ]
    return element("section", join(parts), id=experiment.name)


def _picture(figure: Figure) -> Html:
    """Vector or bitmap; the dark one where the reader wants it."""
    kind = {"svg": "image/svg+xml", "png": "image/png"}[figure.kind]
    *others, (_, last) = figure.pictures
    sources = [Html(f"<source{attributes(media=media, srcset=_data(kind, data))}>") for media, data in others]
    look = {"class_": "both" if others else "light-only", "style": f"width:{figure.width:g}in"}
    about = f"{figure.experiment.title}: see the caption and the table"
    image = Html(f"<img{attributes(src=_data(kind, last), alt=about, **look)}>")
    return element("picture", join([*sources, image]))


def _table(figure: Figure) -> Html:
    name = f"{figure.experiment.name}.csv"
    count = figure.table.height
    if figure.csv:
        link = element("a", text(f"Download {name}"), href=_data("text/csv", figure.csv), download=name)
    else:
        link = element("a", text(f"{name}, beside this page"), href=name)
    shown = figure.table.head(ROWS)
    shown = shown.select(column.name for column in shown if column.null_count() < shown.height)
    head = element("tr", join(element("th", text(column), scope="col") for column in shown.columns))
    rows = join(element("tr", join(element("td", text(_cell(item))) for item in row)) for row in shown.iter_rows())
    inside = element("table", join([element("thead", head), element("tbody", rows)]))
    part = f"the first {ROWS} of {count:,} rows" if count > ROWS else f"{count} rows"
    lacking = figure.table.width - shown.width
    note = f", {lacking} columns are empty in them" if lacking else ""
    return element(
        "details",
        join(
            [
                element("summary", text(f"Table, {count:,} rows")),
                element("p", join([text(f"Shown: {part}{note}. "), link])),
                element("div", inside, class_="scroll", tabindex="0", role="region", aria_label=f"Table of {name}"),
            ]
        ),
    )


def _origin(origin: Origin, command: str) -> Html:
    facts = [("Command", command)] if command else []
    pairs = join(
        join([element("dt", text(name)), element("dd", text(value))])
        for name, value in [*facts, *origin.facts]
        if value
    )
    parts = [element("h2", text("Provenance")), element("dl", pairs)]
    if origin.runs:
        head = element("tr", join(element("th", text(column), scope="col") for column in origin.runs[0]))
        rows = join(
            element("tr", join(element("td", text(_cell(item))) for item in row.values())) for row in origin.runs
        )
        table = element("table", join([element("thead", head), element("tbody", rows)]))
        parts.append(element("div", table, class_="scroll", tabindex="0", role="region", aria_label="Runs"))
    return element("section", join(parts), id="origin")


def _figures(folder: Path, study: Study) -> list[Figure]:
    """The experiments whose figure and table are there, in the order of the study."""
    made = [each for each in study.experiments if (folder / f"{each.name}.parquet").is_file()]
    sizes = {each.name: (folder / f"{each.name}.csv").stat().st_size for each in made}
    order = sorted(sizes, key=sizes.__getitem__)
    inside = {name for i, name in enumerate(order) if sum(sizes[small] for small in order[: i + 1]) <= TABLES}
    return [_read(folder, each, PICTURES // (2 * len(made)), each.name in inside) for each in made]


def _read(folder: Path, experiment: Experiment, room: int, table_inside: bool) -> Figure:
    """With vector pictures where one fits into so many bytes, else bitmaps, of which the dark one may go."""
    table = pl.read_parquet(folder / f"{experiment.name}.parquet")
    display = experiment.figure(table)
    for kind in ("svg", "png"):
        light = (folder / f"{experiment.name}.{kind}").read_bytes()
        if len(light) <= room:
            break
    pictures = [("(prefers-color-scheme: dark)", display.picture(kind, "dark"))] if len(light) <= room else []
    csv = (folder / f"{experiment.name}.csv").read_bytes() if table_inside else b""
    width = ZOOM * (display.size or display.default_size())[0]
    return Figure(experiment, display.caption, table, csv, (*pictures, ("", light)), kind, width)


def _is_erratum(entry: Entry) -> bool:
    return entry.kind == "errata" and entry.verdict == Verdict.FAILS


def _data(kind: str, data: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def _cell(item: object) -> str:
    if item is None:
        return ""
    return f"{item:.6g}" if isinstance(item, float) else f"{item:,}" if isinstance(item, int) else str(item)
