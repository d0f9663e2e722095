"""Do callers use the tools right? Prompts, callers (language models, recordings, a router), scores and reports."""
