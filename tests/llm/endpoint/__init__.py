"""The backend with a model: LLM tasks that get replies by hand, and calls over real HTTP."""
