"""What a recording is worth: its steps, what the server understood, and whether the answers settle the prompt."""
