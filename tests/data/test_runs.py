"""The records of what was run: one for each agent that has a program, and as the data say."""

import pytest

from checks.programs import PROGRAMS, Program
from checks.recipes import read_recipes
from server.catalog.folders import AGENT_FILE, agents_folder
from server.catalog.reading import read_agent_file
from server.catalog.runs import agent_runs, check_runs
from server.paths import shipped_data


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.agent)
def test_every_agent_with_a_program_has_a_record_that_its_data_bear_out(program: Program) -> None:
    path, runs = agent_runs(shipped_data(), program.agent)
    assert runs, f"{program.agent} has no record; run python -m checks {program.agent} --write"
    check_runs(read_agent_file(agents_folder(shipped_data()) / program.agent / "capabilities" / AGENT_FILE), runs, path)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.agent)
def test_every_setup_line_is_run_or_has_a_reason(program: Program) -> None:
    file = read_agent_file(agents_folder(shipped_data()) / program.agent / "capabilities" / AGENT_FILE)
    setups = {f"{entry.name}/setup" for entry in file.capabilities for each in entry.statements if each.id == "setup"}
    assert setups - set(read_recipes(program.agent)) == set()
