"""The errors that this package raises, grouped by what a user can do about them.

GraphRAGError
├── InputError          fix the command, a setting or a file, and run again
│   ├── EmptyGraphError the graph holds nothing yet that could be searched
│   └── NotFoundError   the graph has no such entity, report, source or document
├── GraphError          stop: fix the database (not reachable, login refused, GDS missing)
│   ├── GraphBusyError  another run writes to this graph: wait until it ends, or end it
│   ├── GraphStoppedError  the database must be started again (most often its disk is full)
│   └── EmbeddedError   the embedded server can't be downloaded, started or stopped
├── ModelError          stop: fix the access to the model (key, name, quota, address)
├── BudgetSpentError    stop: the cost limit is reached; the same command continues the run
└── ReplyError          one reply is unusable: its item stays pending, and the run continues

Each message is written for a person and says what to do.
"""

__all__ = [
    "BudgetSpentError",
    "EmbeddedError",
    "EmptyGraphError",
    "GraphBusyError",
    "GraphError",
    "GraphRAGError",
    "GraphStoppedError",
    "InputError",
    "ModelError",
    "NotFoundError",
    "ReplyError",
]


class GraphRAGError(Exception):
    """The base class of all errors that this package raises on purpose."""


class InputError(GraphRAGError):
    """A command, an argument, a setting or a file can't be used as it is."""


class NotFoundError(InputError):
    """What was asked for by its name or number is not there."""


class EmptyGraphError(InputError):
    """The graph holds nothing yet that a question could be answered from."""


class GraphError(GraphRAGError):
    """Neo4j can't be reached, refuses the login, or lacks something that is needed."""


class GraphBusyError(GraphError):
    """Another run writes to this graph: it holds the lease."""


class GraphStoppedError(GraphError):
    """The database had an error and does no work until it is started again.

    Most often its disk is full. The data that was saved is not lost.
    """


class EmbeddedError(GraphError):
    """The embedded Neo4j can't be downloaded, started or stopped."""


class ModelError(GraphRAGError):
    """The model endpoint can't be used: its key, model name, quota or address is wrong.

    `missing` is True where the endpoint answers, but has no model of that name.
    """

    def __init__(self, message: str, *, missing: bool = False) -> None:
        super().__init__(message)
        self.missing = missing


class BudgetSpentError(GraphRAGError):
    """The cost limit of this run is reached."""


class ReplyError(GraphRAGError):
    """One reply of a model can't be used. The message is the reason that is saved with its item.

    `reached` is False where the endpoint did not answer at all. `refused` is True where it does not
    accept the request itself, for example because it is too long: it would refuse it again.
    """

    def __init__(self, reason: str, *, reached: bool = True, refused: bool = False) -> None:
        super().__init__(reason)
        self.reached = reached
        self.refused = refused
