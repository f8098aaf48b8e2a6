"""What a model is shown, and how it cites it."""
