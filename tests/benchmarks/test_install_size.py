from benchmarks.install_size import PURPOSES, ROOT, dependencies, table


def test_every_dependency_has_a_purpose_and_no_other_package_has() -> None:
    assert {*dependencies(ROOT), "agent-capabilities"} == {*PURPOSES}


def test_what_the_packages_need_is_counted_together() -> None:
    lines = table({"numpy": 3_000_000, "other": 1_000_000, "more": 500_000}).splitlines()
    assert lines[2] == f"| numpy | 3.0 | {PURPOSES['numpy']} |"
    assert lines[-2:] == ["| what these need | 1.5 | 2 more packages |", "| together | 4.5 | |"]
