"""Evaluates a matcher on labelled queries: ranking, decisions, and calibration of its confidence."""
