"""An endpoint that remembers its replies, so that a part of an answer is never paid for twice.

An answer of map-reduce takes many calls. Its record is written when it is whole, so its replies are
kept until then in a file of their own: a run that goes on after a kill reads them there.
"""

import json
from copy import copy
from dataclasses import asdict, dataclass
from typing import Self

from graphrag_neo4j.evaluation.records import RecordFile
from graphrag_neo4j.ids import identify
from graphrag_neo4j.llm import Endpoint, Meter, model_of
from graphrag_neo4j.model import Reply, Request, Usage
from graphrag_neo4j.settings import Settings

__all__ = ["CallRecord", "RememberingEndpoint"]


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A reply, and what it took. `key` is a hash of the answer, the model and the request."""

    key: str
    text: str
    cut: bool
    usage: Usage


class RememberingEndpoint(Endpoint):
    """Sends a request only if `calls` holds no reply to it.

    A reply that is remembered counts in the usage of its answer, but not against the cost limit of
    the run, since it was paid for before.
    """

    def __init__(self, settings: Settings, meter: Meter, calls: RecordFile[CallRecord]) -> None:
        super().__init__(settings, meter)
        self._remembered = calls
        self.answer = ""

    def of_answer(self, key: str) -> Self:
        """Returns this endpoint for one answer: what it remembers for others is not used.

        So two conditions that send the same request get two replies, as they would alone.
        """
        part = copy(self)
        part.answer = key
        return part

    async def ask(self, request: Request) -> Reply:
        """Returns the reply that is remembered, or sends the request. Raises as `Endpoint.ask`."""
        key = self._key(request)
        if key in self._remembered:
            return self._recall(request, self._remembered[key])
        alone = copy(self)
        alone.meter = Meter(self.meter)  # which counts this call only
        reply = await super(RememberingEndpoint, alone).ask(request)
        self._remembered.add([CallRecord(key, reply.text, reply.cut, alone.meter.total)])
        return reply

    def _recall(self, request: Request, call: CallRecord) -> Reply:
        steps = self.meter.steps
        steps[request.step] = Usage.total([steps[request.step], call.usage])
        return Reply(call.text, call.cut)

    def _key(self, request: Request) -> str:
        asked = json.dumps(asdict(request), sort_keys=True, ensure_ascii=False)
        model = model_of(self.settings, request.step)
        return identify("call", self.answer, model, asked)
