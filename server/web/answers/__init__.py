"""What the page asks for: functions from a service to JSON."""
