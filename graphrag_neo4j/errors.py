"""The errors that a caller can meet, arranged by what can be done about them.

GraphRAGError
├── InputError          fix the command, a setting or a file, and run again
├── GraphError          stop: fix the database (unreachable, refused, without GDS)
│   ├── GraphBusyError  another run writes to this graph: wait for it, or end it
│   ├── GraphStoppedError  the database works no more until it is started again (a full disk)
│   └── EmbeddedError   the server that we start ourselves can't be had or started
├── ModelError          stop: fix the access to the model (key, name, quota, address)
├── BudgetSpentError    stop: the cost limit is reached; the same command goes on
└── ReplyError          this one reply is unusable: its item stays pending, the run goes on

Every message is one sentence for a person and says what to do.
"""

__all__ = [
    "BudgetSpentError",
    "EmbeddedError",
    "GraphBusyError",
    "GraphError",
    "GraphRAGError",
    "GraphStoppedError",
    "InputError",
    "ModelError",
    "ReplyError",
]


class GraphRAGError(Exception):
    """The base of all errors that this package raises on purpose."""


class InputError(GraphRAGError):
    """A command, a setting or a file is not usable as it is."""


class GraphError(GraphRAGError):
    """Neo4j can't be reached or used."""


class GraphBusyError(GraphError):
    """Another run holds the lease on this graph."""


class GraphStoppedError(GraphError):
    """The database has met an error after which it does nothing until it is started again.

    Most often its disk is full. What was saved is not lost.
    """


class EmbeddedError(GraphError):
    """The embedded Neo4j can't be downloaded, started or stopped."""


class ModelError(GraphRAGError):
    """The model endpoint can't be used at all: key, model name, quota or address."""


class BudgetSpentError(GraphRAGError):
    """The cost limit of this run is reached."""


class ReplyError(GraphRAGError):
    """One reply can't be used; the message is the reason that is kept with its item.

    `reached`: False where the endpoint did not answer at all.
    """

    def __init__(self, reason: str, *, reached: bool = True) -> None:
        super().__init__(reason)
        self.reached = reached
