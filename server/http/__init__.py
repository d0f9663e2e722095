"""Serving over HTTP: the application, who and how much is let in, and the processes it runs in."""
