"""How healthy a catalog is: judged apart, kept, and measured label by label."""
