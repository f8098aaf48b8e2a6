"""Fits the prompts to a corpus: `tune` reads a sample of it and writes a folder of prompt files.

`sample` chooses passages, `tune` estimates what asking costs, asks a model and makes prompt files,
and `result` writes them, with a page, without losing what a person changed.
"""
