"""Runs that send their requests to a model in batches of the provider, at half the price."""
