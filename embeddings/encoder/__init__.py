"""Encodes texts as unit vectors. Only this package uses ONNX Runtime and the tokenizer."""
