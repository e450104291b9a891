"""Which tests are left out of `make quick`: those marked slow, and those of slow.txt, which took more than LIMIT.

    make quick ARGS=--junitxml=quick.xml && .venv/bin/python -m tests.slow quick.xml

adds what has become slow since the list was made.
"""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

LIMIT = 0.12
"""Seconds."""
LIST = Path(__file__).with_name("slow.txt")


def listed() -> set[str]:
    """The tests of the list, by the names that pytest gives them."""
    return set(LIST.read_text(encoding="utf-8").splitlines())


def measured(report: Path) -> set[str]:
    """The tests of a JUnit report that took longer."""
    cases = ElementTree.parse(report).getroot().iter("testcase")
    slow = (case for case in cases if float(case.attrib["time"]) > LIMIT)
    return {f"{case.attrib['classname'].replace('.', '/')}.py::{case.attrib['name']}" for case in slow}


if __name__ == "__main__":
    LIST.write_text("".join(f"{name}\n" for name in sorted(listed() | measured(Path(sys.argv[1])))), encoding="utf-8")
