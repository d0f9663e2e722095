"""Serving over HTTP: the application, its limits, its access control, and the processes that run it."""
