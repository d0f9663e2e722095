"""What a message says: its clauses, its windows if it is long, what it refuses, and which language it is in."""
