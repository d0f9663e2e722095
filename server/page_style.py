"""What the pages of reports look like; a page holds its style, so that it needs no other file."""

from typing import Final

STYLE: Final = """\
:root { color-scheme: light dark; --ink: #1d2433; --paper: #fff; --line: #d5dae3; --box: #f5f6f9; --hot: #f08a6c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ef; --paper: #14171d; --line: #3a4150; --box: #20242c; --hot: #9c3d26; }
}
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
       color: var(--ink); background: var(--paper); }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .3rem .8rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
details { margin: .6rem 0; padding: .4rem .8rem; border: 1px solid var(--line); border-radius: .4rem; }
"""
