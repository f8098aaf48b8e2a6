"""LLM tasks that evaluate answers: judges, the claims that answers make, and questions."""
