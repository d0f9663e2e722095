"""Reports on the results of an evaluation: JSON, one HTML page, and the wording that reports share."""
