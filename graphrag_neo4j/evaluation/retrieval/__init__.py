"""Which passages are found for questions whose passages are known."""
