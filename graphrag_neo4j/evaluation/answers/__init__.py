"""The answers of each condition, what they were made with, and what they cost."""
