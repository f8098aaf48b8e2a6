"""The judge: which answers are compared, the verdicts, and what they say together."""
