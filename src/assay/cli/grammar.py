"""What may stand right of the `=` in a setting.

    0.1  all  none  true      one value
    10,100,1000               several: an axis
    10..40  10..40..2         a range, ends included: in steps of 1, of 2
    logspace:1e-4:1:9         9 values from 1e-4 to 1 at a constant ratio; linspace: evenly spaced
    [0,3,5]                   a list, as one value
    {"kind": "sign"}          a part of a config, as JSON

Pieces may be joined: `1,2,10..30..10`. What a value means is left to the config that gets it.
"""

from __future__ import annotations

import json
import math
from typing import Any

from assay.errors import AssayError

WORDS = {"none": None, "null": None, "true": True, "false": False}
PAIRS = {"[": "]", "{": "}"}
MOST = 1_000_000
"""Values of one range: beyond, it is a slip of the keyboard."""


class SettingError(AssayError):
    """A setting that cannot be read, or whose name is not clear."""


def parse_values(key: str, text: str, whole: bool = False) -> list[Any]:
    """The values of a setting; `whole` rounds those of a spaced axis, each once. None at all for empty text."""
    if not text.strip():
        return []
    found: list[Any] = []
    for piece in split(key, text):
        if not piece:
            raise SettingError(f"{key} has an empty value in {text!r}; write {key}=a,b,c")
        found += _expand(key, piece, whole)
    return found


def split(key: str, text: str) -> list[str]:
    """The pieces between the commas that stand outside brackets, braces and quotes."""
    pieces, piece, closing, quoted = [], "", [], False
    for letter in text:
        if letter == '"':
            quoted = not quoted
        elif not quoted and letter in PAIRS:
            closing.append(PAIRS[letter])
        elif not quoted and letter in PAIRS.values() and (not closing or closing.pop() != letter):
            raise SettingError(f"{key} has a {letter!r} that closes nothing in {text!r}")
        if letter == "," and not closing and not quoted:
            pieces.append(piece.strip())
            piece = ""
        else:
            piece += letter
    if closing or quoted:
        missing = '"' if quoted else closing[-1]
        raise SettingError(f"{key} lacks a closing {missing!r} in {text!r}")
    return [*pieces, piece.strip()]


def scalar(key: str, text: str) -> Any:
    """One value: number, word, list, or JSON object; any other text is itself."""
    if text.startswith("["):
        inner = text[1:-1].strip()
        return [scalar(key, piece) for piece in split(key, inner)] if inner else []
    if text.startswith("{"):
        try:
            return json.loads(text)
        except ValueError as error:
            raise SettingError(f"{key} must be valid JSON in braces, got {text!r}: {error}") from error
    if text in WORDS:
        return WORDS[text]
    if text.startswith('"'):
        return text.strip('"')
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _expand(key: str, piece: str, whole: bool) -> list[Any]:
    if ".." in piece and not piece.startswith(("[", "{", '"')):
        return _range(key, piece)
    name, colon, rest = piece.partition(":")
    if colon and name in ("logspace", "linspace"):
        return _spaced(key, name, rest, whole)
    return [scalar(key, piece)]


def _range(key: str, text: str) -> list[int] | list[float]:
    """low..high or low..high..step, ends included."""
    ends = [_number(key, text, end) for end in text.split("..")]
    if len(ends) not in (2, 3):
        raise SettingError(f"{key} must be low..high or low..high..step, got {text!r}")
    low, high, step = (*ends, 1)[:3]
    if step <= 0 or low > high:
        raise SettingError(f"{key} must go up from low to high in positive steps, got {text!r}")
    count = math.floor((high - low) / step + 1e-9) + 1
    if count > MOST:
        raise SettingError(f"{key} must have at most {MOST:,} values, got {count:,} in {text!r}")
    if all(isinstance(end, int) for end in ends):
        return [low + i * step for i in range(count)]
    return [float(f"{low + i * step:.12g}") for i in range(count)]


def _spaced(key: str, name: str, text: str, whole: bool) -> list[Any]:
    """low:high:number, by the axes of sweeps, which check it."""
    from assay.sweep import linspaced, logspaced

    parts = text.split(":")
    if len(parts) != 3:
        raise SettingError(f"{key} must be {name}:low:high:number, got {name}:{text}")
    low, high, number = (_number(key, text, part) for part in parts)
    if number != int(number) or number > MOST:
        raise SettingError(f"{key} must have a whole number of values, at most {MOST:,}, got {name}:{text}")
    spaced = logspaced if name == "logspace" else linspaced
    return list(spaced(key, low, high, int(number), whole=whole).values)


def _number(key: str, text: str, part: str) -> int | float:
    found = scalar(key, part.strip())
    if isinstance(found, bool) or not isinstance(found, (int, float)) or not math.isfinite(found):
        raise SettingError(f"{key} must be made of numbers, got {part!r} in {text!r}")
    return found
