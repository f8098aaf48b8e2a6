"""Context tables, report material and citations."""
