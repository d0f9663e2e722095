"""What to write into a host's configuration so that it starts this program."""
