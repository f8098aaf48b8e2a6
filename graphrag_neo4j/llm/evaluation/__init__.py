"""LLM tasks that evaluate answers, and those that make the questions for it."""
