"""Answers to the page's requests: functions from a service to JSON."""
