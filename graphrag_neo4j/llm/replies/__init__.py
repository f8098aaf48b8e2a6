"""Reads what a model replies: lists in all forms, and JSON that is not quite JSON."""
