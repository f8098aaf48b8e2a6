"""Indexing: the pipeline that turns documents into a graph, its stages and their helpers."""
