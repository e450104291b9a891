"""The page of a reproduction: everything is in it, nothing is fetched, nothing is taken for markup."""

from __future__ import annotations

import base64
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest

from assay.errors import StoreError
from assay.report import page as home
from assay.report.page import write_page

VOID = {"meta", "link", "img", "source", "br"}
COMMAND = 'assay reproduce page --out "a b"'


class Page(HTMLParser):
    """The elements of a page with their attributes, and its words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "title"):
            self.words.append(data)

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def values(self, attribute: str) -> list[str]:
        return [attributes[attribute] for _, attributes in self.elements if attribute in attributes]


@pytest.fixture(scope="module")
def page(reproduction: Path) -> Page:
    return Page(write_page(reproduction, command=COMMAND).read_text(encoding="utf-8"))


def decoded(address: str) -> bytes:
    return base64.b64decode(address.partition(";base64,")[2], validate=True)


def test_every_element_is_closed_and_the_page_says_what_it_is(page: Page) -> None:
    assert page.open == []
    assert page.all("html") == [{"lang": "en"}]
    assert {"charset": "utf-8"} in page.all("meta")
    assert len(page.all("h1")) == 1
    assert page.all("script") == []


def test_nothing_is_fetched(page: Page, reproduction: Path) -> None:
    addresses = [value for name in ("src", "srcset", "href", "action", "data", "poster") for value in page.values(name)]
    assert addresses
    assert all(address.startswith(("data:", "#")) for address in addresses)
    text = (reproduction / "index.html").read_text()
    outside_data = re.sub(r"base64,[A-Za-z0-9+/=]+", "", text)
    assert "://" not in outside_data
    assert "@import" not in outside_data
    assert "url(" not in outside_data


def test_every_link_inside_the_page_arrives(page: Page) -> None:
    targets = [address[1:] for address in page.values("href") if address.startswith("#")]
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert set(targets) <= set(ids)
    assert {"verdicts", "origin", "theory", "training", "claim-C-holds"} <= set(targets)


def test_text_is_never_taken_for_markup(page: Page, reproduction: Path) -> None:
    evil = '<script>alert("1")</script> & "quotes"'
    assert evil in page.words  # the statement, as it was written
    assert any(evil in words for words in page.words if words.startswith("A study"))
    assert any(evil in words for words in page.words if words.startswith("Caption"))
    assert "<script" not in (reproduction / "index.html").read_text()


def test_each_claim_has_a_word_a_value_and_a_criterion(page: Page) -> None:
    said = [" ".join(words.split()) for words in page.words]
    badges = [attributes["class"] for attributes in page.all("span") if attributes.get("class", "").startswith("badge")]
    assert badges == 2 * ["badge holds", "badge fails", "badge errata", "badge undecided"]
    for words in ("holds", "fails", "fails as printed", "undecided", "0.1235", "[0.1, -]", "a < b & c", "-1"):
        assert words in said, words
    assert {"1 hold", "1 fail", "1 wrong as printed", "1 undecided"} <= set(said)


def test_each_figure_is_there_for_light_and_dark(page: Page, reproduction: Path) -> None:
    images, dark = page.all("img"), page.all("source")
    assert len(images) == len(dark) == 2
    for image, name in zip(images, ("theory", "training"), strict=True):
        assert decoded(image["src"]) == (reproduction / f"{name}.svg").read_bytes()
        assert image["alt"]
    for source, image in zip(dark, images, strict=True):
        assert source["media"] == "(prefers-color-scheme: dark)"
        assert decoded(source["srcset"]).startswith(b"<?xml")
        assert decoded(source["srcset"]) != decoded(image["src"])


def test_each_table_can_be_looked_at_and_downloaded(page: Page, reproduction: Path) -> None:
    downloads = {a["download"]: a["href"] for a in page.all("a") if "download" in a}
    assert downloads.keys() == {"theory.csv", "training.csv"}
    for name, address in downloads.items():
        assert decoded(address) == (reproduction / name).read_bytes()
    said = " ".join(page.words)
    assert "Table, 40 rows" in said
    assert "the first 12 of 40 rows, 1 columns are empty in them" in said
    assert len(page.all("details")) == 2
    assert all("open" not in attributes for attributes in page.all("details"))


def test_what_scrolls_can_be_reached_with_the_keyboard(page: Page) -> None:
    regions = [attributes for _, attributes in page.elements if attributes.get("class") == "scroll"]
    assert len(regions) == 4  # verdicts, two tables, runs
    assert all(region["tabindex"] == "0" and region["role"] == "region" and region["aria-label"] for region in regions)
    assert page.all("a")[0] == {"class": "skip", "href": "#verdicts"}


def test_the_page_says_where_its_numbers_come_from(page: Page) -> None:
    said = page.words
    assert COMMAND in said
    for name in ("Assay", "Python", "Packages", "Platform", "Training time", "Last launched"):
        assert name in said
    rows = said[said.index("engine") :]
    assert rows[rows.index("training") :][:12:2] == ["training", "3", "3", "0", "0", "0"]


def test_the_same_folder_gives_the_same_page(reproduction: Path) -> None:
    first = write_page(reproduction, command=COMMAND).read_bytes()
    assert write_page(reproduction, command=COMMAND).read_bytes() == first
    assert len(first) < 5_000_000


def test_large_pictures_become_bitmaps_and_large_tables_links(
    reproduction: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(reproduction, tmp_path / "copy")
    smallest = min((folder / f"{name}.svg").stat().st_size for name in ("theory", "training"))
    monkeypatch.setattr(home, "PICTURES", 4 * (smallest - 1))  # room for neither as svg
    monkeypatch.setattr(home, "TABLES", (folder / "training.csv").stat().st_size)  # room for the smaller one
    page = Page(write_page(folder).read_text(encoding="utf-8"))
    assert all(decoded(image["src"]).startswith(b"\x89PNG") for image in page.all("img"))
    assert {a.get("download") for a in page.all("a")} == {None, "training.csv"}
    assert "theory.csv" in page.values("href")
    monkeypatch.setattr(home, "PICTURES", 4)  # no room for a second bitmap
    page = Page(write_page(folder).read_text(encoding="utf-8"))
    assert page.all("source") == []
    assert {image["class"] for image in page.all("img")} == {"light-only"}


def test_a_part_of_a_study_has_a_page_too(reproduction: Path, tmp_path: Path) -> None:
    folder = tmp_path / "part"
    folder.mkdir()
    for path in reproduction.glob("theory.*"):
        shutil.copy(path, folder)
    shutil.copy(reproduction / "claims.json", folder)
    page = Page(write_page(folder).read_text(encoding="utf-8"))
    assert len(page.all("img")) == 1
    assert "nothing was trained" in page.words


@pytest.mark.parametrize(
    ("content", "said"), [(None, "cannot be read"), ("{", "cannot be read"), ("[]", "must have at least one claim")]
)
def test_a_folder_that_is_no_reproduction(tmp_path: Path, content: str | None, said: str) -> None:
    if content is not None:
        (tmp_path / "claims.json").write_text(content)
    with pytest.raises(StoreError, match=said):
        write_page(tmp_path)
    assert not (tmp_path / "index.html").exists()


def test_the_ledger_of_a_study_that_is_gone_is_an_error(reproduction: Path, tmp_path: Path) -> None:
    rows = json.loads((reproduction / "claims.json").read_text())
    (tmp_path / "claims.json").write_text(json.dumps([row | {"study": "gone"} for row in rows]))
    with pytest.raises(Exception, match="unknown study 'gone'"):
        write_page(tmp_path)
