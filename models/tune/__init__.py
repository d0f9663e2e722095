"""Tunes the sentence encoder on public pairs of a request and the tool that serves it; needs the extra `tune`."""
