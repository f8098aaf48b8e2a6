"""Answers questions from the graph: the query engine, the searches, and their shared parts."""
