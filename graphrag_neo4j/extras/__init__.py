"""What stands beside the core: each module or package is one extra, and none imports another.

The core names an extra only in the method of the client that offers it, so that each can be taken
away alone.
"""
