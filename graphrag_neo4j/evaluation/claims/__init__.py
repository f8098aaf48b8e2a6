"""The claims of the answers, their clusters, and their agreement with the judge."""
