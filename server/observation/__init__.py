"""What is told of requests: observers of them, a log, metrics, spans."""
