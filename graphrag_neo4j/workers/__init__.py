"""The workers of a Ray cluster, which read files and run the tasks of an index backend.

`ray_worker` is what travels to a worker and runs there, `ray_cluster` is the side of the process
that writes the graph. With Ray, both are imported only where a cluster is asked for.
"""
