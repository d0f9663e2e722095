"""The tools of a server of any catalog of labels (`serve --catalog`)."""
