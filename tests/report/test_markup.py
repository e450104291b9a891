"""Markup is made of text that was escaped, and of nothing else."""

from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.report.markup import Html, attributes, element, join, text


@given(st.text())
def test_text_reads_as_it_was_written_and_holds_no_markup(words: str) -> None:
    escaped = text(words)
    assert html.unescape(escaped) == html.unescape(html.escape(words))
    assert not set(escaped) & set("<>\"'")


def test_elements_nest_and_attributes_are_escaped() -> None:
    link = element("a", text("a < b"), href='x"y', class_="one two", aria_label="A & B")
    assert link == '<a href="x&quot;y" class="one two" aria-label="A &amp; B">a &lt; b</a>'
    assert element("p", join([link, Html("<br>")], " ")) == f"<p>{link} <br></p>"
    assert attributes() == ""


def test_words_that_were_not_escaped_are_refused() -> None:
    with pytest.raises(TypeError, match="wrap words in text"):
        element("p", "a < b")  # type: ignore[arg-type]
