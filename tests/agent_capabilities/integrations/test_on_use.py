"""Integrations are imported on use, and say what they need."""

import importlib
import subprocess
import sys

import pytest

from agent_capabilities.integrations import EXTRAS

LIBRARIES = {module: {"scikit_learn": "sklearn"}.get(module, module) for module in EXTRAS}


@pytest.mark.processes
def test_the_package_imports_no_library_that_it_plugs_into() -> None:
    libraries = sorted(LIBRARIES.values())
    script = f"import sys, agent_capabilities.integrations as _; print({{*{libraries}}} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("module", EXTRAS)
def test_a_missing_library_is_named_with_its_extra(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == LIBRARIES[module]]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, LIBRARIES[module], None)
    monkeypatch.delitem(sys.modules, f"agent_capabilities.integrations.{module}", raising=False)
    with pytest.raises(ImportError, match=rf"pip install 'agent-capabilities\[{EXTRAS[module]}\]'"):
        importlib.import_module(f"agent_capabilities.integrations.{module}")
