"""Opens ONNX Runtime sessions, all with the same options."""

from typing import Final

import onnxruntime as ort

Session = ort.InferenceSession

_ERRORS_ONLY: Final = 3


def open_session(model: str | bytes, threads: int = 1) -> ort.InferenceSession:
    """Open a model on the CPU.

    Args:
        model: path of an ONNX file, or its content.
        threads: how many threads share one run.

    Raises:
        Exception: of many types, if onnxruntime cannot read the model.
    """
    # On Windows, the environment variable does not switch telemetry off.
    ort.disable_telemetry_events()
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    # The graphs already use the fastest operators; higher levels would fuse operators that are faster unfused.
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    # There is no other provider to fall back to, and a fallback attempt prints to stdout, which carries the protocol.
    return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"], enable_fallback=0)
