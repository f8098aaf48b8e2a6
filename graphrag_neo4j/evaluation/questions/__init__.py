"""The questions of an evaluation: made by a model, or read from a file."""
