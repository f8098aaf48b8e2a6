"""The backends that use a model: prompts to any OpenAI-compatible endpoint."""
