"""The ways to answer a question, one file each: global, local, drift, basic, text."""
