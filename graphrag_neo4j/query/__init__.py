"""Questions get answers: the query engine, its searches, and what they share."""
