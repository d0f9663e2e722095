"""References in configuration files to what stands elsewhere: variables, files, a person's input."""
