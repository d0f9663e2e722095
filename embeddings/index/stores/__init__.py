"""Where a catalog's labels are kept: in memory, or in an engine that is shared by processes and machines."""
