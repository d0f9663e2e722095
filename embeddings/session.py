"""ONNX Runtime sessions, all opened alike."""

from typing import Final

import onnxruntime as ort

_ERRORS_ONLY: Final = 3


def open_session(model: str | bytes, threads: int = 1) -> ort.InferenceSession:
    """Open a model on the CPU.

    Args:
        model: path of an ONNX file, or its content.
        threads: that share one run.

    Raises:
        Exception: of many kinds, for what onnxruntime cannot read.
    """
    # Windows has its own way of reporting, which the environment does not switch off.
    ort.disable_telemetry_events()
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    # The graphs are written as they run best; more would only fuse what is faster apart.
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    # There is nothing to fall back to, and trying is printed to stdout, where a server speaks its protocol.
    return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"], enable_fallback=0)
