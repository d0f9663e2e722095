"""Speed and accuracy, side by side with peers."""
