"""Which labels of a catalog plain language will not reach, and why."""
