"""What the extractive backend knows of language: sentences, names, types, words."""
