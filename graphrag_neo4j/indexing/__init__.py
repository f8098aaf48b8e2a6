"""Documents become a graph: the pipeline, its stages, and what only they use."""
