"""Build the shipped ONNX sentence encoder from the official all-MiniLM-L6-v2 weights.

Used only at build time; needs the `model` extra (onnx, safetensors). Serving imports nothing from here but `options`.
"""
