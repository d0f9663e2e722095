"""The files of an evaluation: suites of prompts, and recordings of what callers did with them."""
