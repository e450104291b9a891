"""The style of pages: colours by role for light and dark, one column of text, tables that scroll on their own."""

STYLE = """
:root {
  color-scheme: light dark;
  --paper: #ffffff; --panel: #f6f7f9; --ink: #1a1a1a; --soft: #595959; --line: #d9dce1;
  --link: #005a9c; --focus: #d55e00;
  --holds: #00664a; --holds-soft: #dff3ec; --fails: #a3210b; --fails-soft: #fbe4df;
  --errata: #6b4a00; --errata-soft: #faeecb; --undecided: #4b5563; --undecided-soft: #e8eaee;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12161c; --panel: #1a2028; --ink: #e8e8e8; --soft: #a8adb5; --line: #333b46;
    --link: #79c0ff; --focus: #f0803c;
    --holds: #7ff0c8; --holds-soft: #10392d; --fails: #ff9f8c; --fails-soft: #471a12;
    --errata: #f5d76b; --errata-soft: #3b2f0c; --undecided: #c3c8d0; --undecided-soft: #2b323c;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body {
  margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 66rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
}
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--paper); padding: .5rem 1rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.35rem; line-height: 1.3; margin: 0 0 .25rem; }
.kicker { margin: 0; color: var(--soft); }
.paper { margin: 0 0 1rem; color: var(--soft); max-width: 48rem; }
.facts { color: var(--soft); margin: .5rem 0 0; font-variant-numeric: tabular-nums; }
.chips, .decided, nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .5rem; margin: 0; padding: 0; }
nav { margin: 1.5rem 0 0; padding: .75rem 0; border-top: 1px solid var(--line); border-bottom: 1px solid var(--line); }
nav ul { gap: .35rem 1.25rem; }
section { margin-top: 2.75rem; }
.badge {
  display: inline-block; white-space: nowrap; border-radius: 1rem; padding: .1rem .7rem; font-size: .875rem;
  font-weight: 600; border: 1px solid currentColor; color: var(--undecided); background: var(--undecided-soft);
}
.badge.holds { color: var(--holds); background: var(--holds-soft); }
.badge.fails { color: var(--fails); background: var(--fails-soft); }
.badge.errata { color: var(--errata); background: var(--errata-soft); }
.source, .more, .interval, figcaption { color: var(--soft); }
.source { margin: 0; font-size: .9rem; }
.scroll { overflow-x: auto; margin-top: .75rem; border: 1px solid var(--line); border-radius: .4rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem; border-bottom: 1px solid var(--line); }
thead th { background: var(--panel); font-weight: 600; white-space: nowrap; }
tbody tr:last-child > * { border-bottom: 0; }
tr:target > * { background: var(--panel); }
.verdicts p { margin: 0 0 .25rem; }
.verdicts td:nth-child(4) { width: 100%; min-width: 20rem; }
.verdicts td:last-child { white-space: nowrap; }
.verdicts .more { font-size: .85rem; }
.verdicts th[scope=row] { white-space: nowrap; }
.interval { display: block; white-space: nowrap; }
details td, details th, #origin td, #origin th { white-space: nowrap; padding: .3rem .75rem; }
figure { margin: 1rem 0 .75rem; }
figure img { display: block; max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: .4rem; }
figure img.light-only { background: #ffffff; }
figcaption { margin-top: .6rem; font-size: .9rem; max-width: 52rem; }
.decided li { margin-right: .75rem; }
details { margin-top: 1rem; }
summary { cursor: pointer; color: var(--link); width: fit-content; }
details p { margin: .5rem 0 0; font-size: .9rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1.5rem; margin: .75rem 0; font-size: .9rem; }
dt { font-weight: 600; }
dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  body { padding-top: 1.25rem; } h1 { font-size: 1.6rem; } dl { grid-template-columns: 1fr; }
}
@media print { nav, .skip, summary { display: none; } section { break-inside: avoid; } .scroll { overflow: visible; } }
"""
