"""Pages in Markdown, as the tests of this folder read them: fenced blocks, links, headings, commands.

A block marked `python run` is run, one marked `python run torch` where PyTorch is there; a block marked `text` right
behind it is exactly what it prints. Commands are lines `$ assay ...` of blocks marked `console`, lines `assay ...` of
blocks marked `sh`, and `assay ...` in the running text.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = {
    str(path.relative_to(ROOT)): path
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
}

FENCE = re.compile(r"^(?P<fence>`{3,})(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
LINK = re.compile(r"!?\[[^\]\[]*\]\(([^()\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
PLACEHOLDER = re.compile(r"'[^'a-z]*[A-Z][^'a-z]*'|\.\.\.'|^\(\)$")
"""In the words of a command: a NAME to be filled in, an ellipsis; or no words at all."""
AFTER_COMMAND = ("|", ">", "2>", "&&", ";", "&")


@dataclasses.dataclass(frozen=True)
class Block:
    """A fenced block: what stands behind the fence, its text, and where they begin and end on the page."""

    info: str
    body: str
    start: int
    end: int
    line: int  # of its first line, from 0


@dataclasses.dataclass(frozen=True)
class Command:
    """A command line of a page, and the output that stands below it, if any."""

    words: tuple[str, ...]
    output: str


def blocks(text: str) -> list[Block]:
    return [
        Block(m["info"].strip(), m["body"], m.start(), m.end(), text.count("\n", 0, m.start("body")))
        for m in FENCE.finditer(text)
    ]


def runnable(text: str) -> Iterator[tuple[Block, str | None]]:
    """Each block to run with what it must print; None where the page does not say."""
    found = blocks(text)
    for i, block in enumerate(found):
        if block.info == "python run" or (block.info == "python run torch" and importlib.util.find_spec("torch")):
            after = found[i + 1] if i + 1 < len(found) else None
            beside = after and after.info == "text" and not text[block.end : after.start].strip()
            yield block, after.body if after and beside else None


def commands(text: str) -> list[Command]:
    """Every `assay ...` of a page, in blocks and in the running text."""
    found = []
    for block in blocks(text):
        if block.info == "console":
            for part in re.split(r"^\$ ", block.body, flags=re.MULTILINE)[1:]:
                line, _, output = part.replace("\\\n", " ").partition("\n")
                found.append(Command(words(line), output))
        elif block.info == "sh":
            found += [Command(words(line), "") for line in block.body.replace("\\\n", " ").splitlines() if line.strip()]
    found += [Command(words(line), "") for line in CODE.findall(FENCE.sub("", text))]
    return [
        command
        for command in found
        if command.words[:1] == ("assay",) and not PLACEHOLDER.search(str(command.words[1:]))
    ]


def words(line: str) -> tuple[str, ...]:
    """The words of a shell line up to a pipe, a redirection or a comment; none where it is no shell line."""
    try:
        split = shlex.split(line, comments=True)
    except ValueError:
        return ()
    end = next((i for i, word in enumerate(split) if word in AFTER_COMMAND), len(split))
    return tuple(split[:end])


def links(text: str) -> list[str]:
    """Targets of links and pictures outside code."""
    return LINK.findall(CODE.sub("", FENCE.sub("", text)))


def anchors(text: str) -> set[str]:
    """What the headings of a page can be linked by."""
    titles = [re.sub(r"[`*]|\]\([^)]*\)|\[", "", title) for title in HEADING.findall(FENCE.sub("", text))]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
