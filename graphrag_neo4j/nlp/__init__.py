"""Language processing for the extractive backend: sentences, names, entity types, key phrases."""
