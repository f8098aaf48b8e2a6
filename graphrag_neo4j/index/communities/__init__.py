"""The tree of communities: found anew by Leiden, or brought up to date where the graph changed."""
