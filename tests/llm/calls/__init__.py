"""Thinking with a model: think steps fed by hand, the endpoint over real HTTP."""
