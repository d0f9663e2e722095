"""Runs claims about agents: installs their programs, and looks at flags, settings and exit statuses.

`python -m checks AGENT` repeats what `data/agents/<agent>/runs.json` records. Nothing that serves imports this package.
"""
