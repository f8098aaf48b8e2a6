"""The classes for Python: `async_client` does the work, `sync_client` waits for it."""
