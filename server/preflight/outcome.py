"""A preflight's report, with what was accepted before and where in the file its labels are."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from embeddings.preflight.finding import SEVERITIES, Finding, Report, Severity
from server.preflight.baseline import Baseline, Entry
from server.preflight.locations import Place, locate


@dataclass(frozen=True)
class Source:
    """What was judged.

    Attributes:
        name: what reports call it.
        path: of the file, as it was given; empty if it is none.
        text: of the file.
    """

    name: str
    path: str = ""
    text: str = ""


@dataclass(frozen=True)
class Outcome:
    """What formats write.

    Attributes:
        report: what was found.
        source: what was judged.
        baseline: what was accepted before; None if nothing was given.
    """

    report: Report
    source: Source
    baseline: Baseline | None = None

    @cached_property
    def new(self) -> Sequence[Finding]:
        """The findings that are not accepted."""
        return [finding for finding in self.report.findings if self.entry(finding) is None]

    @cached_property
    def accepted(self) -> Sequence[tuple[Finding, Entry]]:
        """The findings that are accepted, each with the entry that accepts it."""
        return [(finding, entry) for finding in self.report.findings if (entry := self.entry(finding))]

    @cached_property
    def stale(self) -> Sequence[Entry]:
        """The entries of the baseline that accept nothing."""
        return self.baseline.stale(self.report.findings) if self.baseline else ()

    @cached_property
    def places(self) -> Mapping[str, Place]:
        """Where the labels of findings are in the file, by JSON pointer; nothing without a file."""
        if not self.source.path:
            return {}
        return locate(self.source.text, {finding.pointer for finding in self.report.findings})

    @cached_property
    def counts(self) -> Mapping[Severity, int]:
        """How many findings are new, by severity."""
        found = Counter(finding.severity for finding in self.new)
        return {severity: found[severity] for severity in SEVERITIES}

    def entry(self, finding: Finding) -> Entry | None:
        """The entry of the baseline that accepts a finding."""
        return self.baseline.entry(finding) if self.baseline else None

    def reaches(self, least: Severity) -> bool:
        """Whether a new finding is at least so grave."""
        return any(self.counts[severity] for severity in SEVERITIES[: SEVERITIES.index(least) + 1])
