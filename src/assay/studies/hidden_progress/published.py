"""The published table of solve times, as data: Barak et al. 2022 (arXiv 2207.08799), figure 7.

10th percentiles over 25 runs of the steps until all of 8,192 held-out examples are right, checked every 10 steps, at
n = 30 and the best of the learning rates 1, 0.1, 0.01, 0.001; nan where too few runs got there within 10^5 steps.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

BATCHES = (1, 4, 32, 128, 1024)
DEGREES = (2, 3, 4)

TIMES: Mapping[str, tuple[str, str, str]] = {
    # one text for each k, with a number for each batch size
    "i": ("628 154 30 20 14", "6316 2302 318 188 130", "34972 9080 2032 326 244"),
    "ii": ("632 170 30 20 20", "4688 1512 174 124 104", "17744 4522 806 240 174"),
    "iii": ("828 294 34 30 30", "5208 1584 140 100 94", "17588 4066 614 254 220"),
    "iv": ("358 64 40 34 34", "2896 998 104 94 90", "40588 7244 3350 368 358"),
    "v": ("3866 408 40 40 40", "7438 778 94 80 80", "21768 3608 1326 228 204"),
    "vi": ("968 164 70 60 50", "7986 924 110 90 80", "19380 15018 1598 210 194"),
    "vii": ("300 60 40 30 30", "1084 846 94 100 110", "4712 4388 232 188 168"),
    "viii": ("464 70 50 50 40", "1194 314 180 188 212", "20192 7480 720 568 836"),
    "ix": ("360 284 40 30 30", "1092 846 94 100 110", "5456 4412 252 188 168"),
    "x": ("308 242 30 30 30", "758 658 74 74 74", "14330 1826 222 206 194"),
    "xi": ("260 78 30 20 20", "688 582 70 60 60", "5618 2442 244 210 138"),
    "xii": ("350 60 40 30 30", "822 1060 110 128 120", "2552 3836 384 608 568"),
    "xiii": ("254 214 30 20 20", "670 654 70 60 60", "22142 2950 208 210 138"),
    "xiv": ("214 174 20 20 20", "654 528 60 50 50", "16076 1676 168 150 154"),
    "xv": ("330 60 20 10 10", "1054 852 94 20 14", "3024 2270 234 34 30"),
    "*i": ("1004 200 30 20 116", "nan 12406 3866 678 2570", "nan 75072 6392 1006 7666"),
    "*ii": ("294 50 30 10 30", "nan 1626 204 164 140", "nan nan 5612 5078 1764"),
    "*iii": ("286 108 44 50 40", "4204 780 166 110 90", "20830 6074 486 294 254"),
}


def published() -> pl.DataFrame:
    """One row a cell: setting, task.k, batch, published; null where the table has nan."""
    rows = [
        (setting, k, batch, None if number == "nan" else float(number))
        for setting, texts in TIMES.items()
        for k, text in zip(DEGREES, texts, strict=True)
        for batch, number in zip(BATCHES, text.split(), strict=True)
    ]
    schema = {"setting": pl.String, "task.k": pl.Int64, "batch": pl.Int64, "published": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")
