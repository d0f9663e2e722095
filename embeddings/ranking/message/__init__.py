"""Reads a message of several parts: long ones, several needs, what is not wanted, other languages."""
