"""Workers: other processes that run the tasks of an index backend.

A task is a generator, which can't be sent to another process. So a `DeferredTask` keeps the method
of the backend and its arguments until it is known where it runs. `WorkerPool` gives such tasks to
workers. `processes` starts workers on this machine, `ray_cluster` on the machines of a Ray cluster.

In reading order: deferred, pool, child (the program of a worker process), processes, ray_worker
(what runs on the machines of a cluster), ray_reading, ray_cluster.
"""

from graphrag_neo4j.workers.deferred import DeferredTask, DeferringBackend, Work
from graphrag_neo4j.workers.pool import Worker, WorkerEndedError, WorkerPool

__all__ = [
    "DeferredTask",
    "DeferringBackend",
    "Work",
    "Worker",
    "WorkerEndedError",
    "WorkerPool",
]
