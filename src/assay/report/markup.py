"""HTML as it is written: text is escaped, and what is markup says so by its type."""

from __future__ import annotations

import html
from collections.abc import Iterable


class Html(str):
    """Markup that is safe as it stands."""

    __slots__ = ()


def text(words: object) -> Html:
    """Words as markup, escaped."""
    return Html(html.escape(str(words), quote=True))


def join(parts: Iterable[Html], between: str = "\n") -> Html:
    return Html(between.join(parts))


def element(tag: str, inside: Html, **given: str) -> Html:
    """One element; `class_` stands for class, and an underscore inside a name for a dash."""
    if not isinstance(inside, Html):
        raise TypeError(f"<{tag}> must hold markup, got {type(inside).__name__}: wrap words in text()")
    return Html(f"<{tag}{attributes(**given)}>{inside}</{tag}>")


def attributes(**given: str) -> Html:
    """Attributes with their values escaped."""
    names = {name: name.rstrip("_").replace("_", "-") for name in given}
    return Html("".join(f' {names[name]}="{html.escape(value, quote=True)}"' for name, value in given.items()))
