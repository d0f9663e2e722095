"""Build the shipped ONNX sentence encoder from the official all-MiniLM-L6-v2 weights.

Build-time only: needs the `model` extra (onnx, safetensors). Nothing here but `options` is imported to answer a query.
"""
