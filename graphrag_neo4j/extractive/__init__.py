"""Thinking without a model: what chunks say is chosen and quoted, nothing is written anew.

Nothing is imported here: an answer needs little of what reading a chunk does.
"""
