"""Decides the options of a call: one place for plain calls, streamed calls and embeddings.

What an endpoint refused is remembered for each model, and is left out of all later calls.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import openai

from graphrag_neo4j import tokens
from graphrag_neo4j.llm.calls.refusals import LARGE_LIMIT, LIMITS, SEVERAL, refused_option
from graphrag_neo4j.model import Message, Request, T

__all__ = ["CallOptions", "Capabilities", "embedding_body"]

MORE_ROOM: Final = 4  # times as many tokens for reasoning in the second attempt
NO_ROOM: Final = "room"  # in `Capabilities.refused`: the endpoint bears no room for reasoning
REFUSING: Final = frozenset({400, 422, 501})  # statuses of a call with an option that is refused
SCHEMA, PLAIN_JSON = "json_schema", "json_object"  # the two types of a response format


@dataclass(slots=True)
class Capabilities:
    """What is known of one model at an endpoint.

    `refused` holds the options that it refuses. `reasons` is True if it writes a reasoning before
    its reply; the tokens of the reasoning count into the limit of the reply. `hides_opening` is
    True if that reasoning has come without its opening mark.
    """

    refused: set[str] = field(default_factory=set)
    reasons: bool = False
    hides_opening: bool = False

    def remember(self, refused: Collection[str]) -> None:
        """Remembers options that a call had to leave out. Raises nothing."""
        self.refused.update(refused)
        # Only models that reason refuse a temperature.
        self.reasons = self.reasons or "temperature" in refused


@dataclass(slots=True)
class CallOptions:
    """The options of one call to a chat model.

    `openai_itself` tells that the endpoint is one of OpenAI's own, which wants the newer name of
    the limit. `room` is the number of tokens for reasoning. `attempt` is 1 where a first attempt
    gave no text, because the model's reasoning reached the limit. `held` tells whether the reply to
    the last body was held to one token of the request's choices.
    """

    model: str
    request: Request
    known: Capabilities
    openai_itself: bool = False
    room: int = 0
    attempt: int = 0
    left_out: set[str] = field(default_factory=set)
    held: bool = False
    _large: bool = False

    def body(self, *, stream: bool) -> dict[str, Any]:
        """Returns the body of the call."""
        messages = [{"role": one.role, "content": one.content} for one in self.request.messages]
        if SEVERAL in self.known.refused | self.left_out:
            messages = [{"role": "user", "content": _as_one(self.request.messages)}]
        return {"model": self.model, "messages": messages, **self.options(stream=stream)}

    def options(self, *, stream: bool) -> dict[str, Any]:
        """Returns the options that the endpoint is not known to refuse."""
        refused = self.known.refused | self.left_out
        options: dict[str, Any] = {"temperature": 0.0}
        if stream:
            options |= {"stream": True, "stream_options": {"include_usage": True}}
        limit = next((name for name in self._limit_names if name not in refused), None)
        if limit and (most := self.limit) and not self._large:
            options[limit] = most
        self.held = bool(limit) and self.biased
        if limit and self.held:
            options |= {"logit_bias": self._bias(), limit: 1}
        if self.request.schema:
            options["response_format"] = _format(self.request.schema, refused)
        return {k: v for k, v in options.items() if v is not None and k not in refused}

    @property
    def limit(self) -> int | None:
        """The largest number of tokens of the reply, reasoning included. None means no limit."""
        asked = self.request.max_tokens
        return asked + self._room if asked else None

    @property
    def biased(self) -> bool:
        """Whether the reply is held to one token of the request's choices.

        The bias and the limit of one token go together: a model that is biased towards two words
        does not stop by itself. A model that reasons could not reason within one token.
        """
        wanted = bool(self.request.choices) and not self.known.reasons
        possible = "logit_bias" not in self.known.refused | self.left_out
        limited = not set(LIMITS) <= self.known.refused | self.left_out
        return wanted and possible and limited and bool(tokens.encoding_for(self.model))

    def heal(self, error: openai.APIStatusError, *, stream: bool) -> bool:
        """Leaves out the option that the error refuses. Returns False if it refuses none.

        Each call of this method removes an option, so it can be repeated until it returns False.
        """
        sent = self.options(stream=stream)
        several = (
            len(self.request.messages) > 1 and SEVERAL not in self.known.refused | self.left_out
        )
        name = refused_option(error, {*sent, SEVERAL} if several else sent)
        if name is None:
            return False
        if name == LARGE_LIMIT:
            self._shrink_limit()
        elif name == "response_format":
            self.left_out.add(str(sent[name]["type"]))
        else:
            self.left_out.add(name)
        return True

    async def healed(self, send: Callable[[Mapping[str, Any]], Awaitable[T]], *, stream: bool) -> T:
        """Sends the call, and sends it again without each option that the endpoint refuses.

        What had to be left out is remembered if the call succeeds. Raises what `send` raises.
        """
        while True:
            body = self.body(stream=stream)
            try:
                done = await send(body)
            except openai.APIStatusError as error:
                if error.status_code not in REFUSING:
                    raise
                # Another call may have found out meanwhile what the endpoint refuses.
                known_now = self.body(stream=stream) != body
                if not (known_now or self.heal(error, stream=stream)):
                    raise
            else:
                self.known.remember(self.left_out)
                return done

    @property
    def no_text(self) -> str:
        """The reason why a reply has no text, if it reached its limit before."""
        if limit := self.limit:
            return (
                f"the model wrote no text within {limit:,} tokens, since its reasoning took them: "
                "set KG_REASONING_TOKENS higher, or use a model that reasons less"
            )
        return (
            "the model wrote no text before the endpoint's own limit of tokens: let the endpoint "
            "serve a larger context window, or use a model that reasons less"
        )

    def _shrink_limit(self) -> None:
        """Gives up the room for reasoning or, for this call, the whole limit."""
        if self._room:
            self.left_out.add(NO_ROOM)
        else:
            self._large = True

    @property
    def _room(self) -> int:
        if NO_ROOM in self.known.refused | self.left_out:
            return 0
        if self.attempt:
            return self.room * MORE_ROOM
        return self.room if self.known.reasons else 0

    @property
    def _limit_names(self) -> Sequence[str]:
        return LIMITS if self.openai_itself else LIMITS[::-1]

    def _bias(self) -> dict[str, int]:
        encoding = tokens.encoding(tokens.encoding_for(self.model) or "")
        ids = [encoding.encode(word)[0] for word in self.request.choices]
        return dict.fromkeys(map(str, ids), 100)


def embedding_body(
    model: str, texts: Sequence[str], dimensions: int | None, refused: Collection[str]
) -> dict[str, Any]:
    """Returns the body of a call to an embedding model."""
    # Decimal numbers would make the response four times as long as base64.
    options = {"encoding_format": "base64", "dimensions": dimensions}
    kept = {name: v for name, v in options.items() if v is not None and name not in refused}
    return {"model": model, "input": list(texts), **kept}


def _as_one(messages: Sequence[Message]) -> str:
    """Returns several messages as one text, in which the replies of the model are named so."""
    replied = {"assistant": "You replied:\n\n"}
    return "\n\n".join(f"{replied.get(one.role, '')}{one.content}" for one in messages)


def _format(schema: Mapping[str, object], refused: Collection[str]) -> dict[str, Any] | None:
    """Returns the `response_format`: a JSON schema or, if the endpoint refuses it, plain JSON."""
    if SCHEMA not in refused:
        strict = {"name": schema["title"], "schema": schema, "strict": True}
        return {"type": SCHEMA, SCHEMA: strict}
    return None if PLAIN_JSON in refused else {"type": PLAIN_JSON}
