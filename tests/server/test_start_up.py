import subprocess
import sys

import pytest


@pytest.mark.parametrize("package", ["numpy", "onnxruntime", "tokenizers", "huggingface_hub", "onnx"])
def test_a_server_lists_its_tools_before_the_numeric_packages_are_loaded(package: str) -> None:
    script = (
        "import sys, server.cli.main as main; main.parser().parse_args(['serve'])\n"
        "from server.mcp_server import build_server; from server.service import open_service\n"
        "from server.paths import shipped_data; import server.stdio; build_server(open_service(shipped_data()))\n"
        f"print({package!r} in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False", done.stderr
