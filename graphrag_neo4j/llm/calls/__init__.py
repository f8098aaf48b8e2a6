"""How calls reach an endpoint: options, limits, retries, errors, and the bodies of responses."""
