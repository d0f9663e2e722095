"""Reports of a preflight: findings without those accepted before, placed in their file, written in several formats."""
