"""The stages of an index, one file each.

Each stage reads its pending items from the graph, runs a task for each, and saves the results.
"""
