"""The options of a call, and which of them are left out because the endpoint refuses them.

What an endpoint refused is remembered for each model, and is left out of all later calls: plain
calls, streamed calls and embeddings.
"""

import json
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

import openai

from graphrag_neo4j.llm.endpoint.errors import (
    LARGE_LIMIT,
    LEAST_MISSED,
    LIMITS,
    SEVERAL,
    SMALLEST_REPLY,
    refused_option,
    smaller_limit,
    status_of,
    wants_stream,
    why_none_succeeds,
)
from graphrag_neo4j.model.types import Message, Request, T
from graphrag_neo4j.text import tokens

Body = dict[str, Any]
MORE_ROOM: Final = 4  # times as many tokens for reasoning in the second attempt
NO_ROOM: Final = "room"  # is refused where the endpoint accepts no room for reasoning
MOST_LEARNED: Final = 4  # smaller limits, and streams, that one call may learn of
VAGUELY: Final = frozenset({400, 422, 501})  # statuses of a call with an option that is refused
REFUSING: Final = VAGUELY | {404, 413, 429, 500}  # these only if the error says so
# The encoding of a model may need more tokens than ours, by a third where it is far from it, and
# the endpoint adds a frame to each prompt. A call that is held too high only waits.
MARGIN, FRAME = 1.5, 50
SCHEMA, PLAIN_JSON = "json_schema", "json_object"  # the two types of a response format


@dataclass(slots=True)
class Capabilities:
    """What is known of one model at an endpoint.

    `refused` holds the options that it refuses. `reasons` is True if it writes a reasoning before
    its reply; the tokens of the reasoning count into the limit of the reply. `hides_opening` is
    True if that reasoning has come without its opening mark. `reported` are the input tokens that
    it has reported for the last call, None if it has not. `only_streams` says that it must be asked
    for streams. `most_reply` are the tokens that a reply may have, `window` those of prompt and
    reply together, None where nothing is known; `scale` are its tokens for each one that we count.
    """

    refused: set[str] = field(default_factory=set)
    reasons: bool = False
    hides_opening: bool = False
    reported: int | None = None
    only_streams: bool = False
    most_reply: int | None = None
    window: int | None = None
    scale: float = 1.0

    def learn(self, error: openai.APIError, body: Body, sent: int) -> bool:
        """Returns whether an error says that only streams, or only shorter replies, are allowed.

        `sent` is our count of the tokens of the prompt.
        """
        if "stream" not in body and not self.only_streams and wants_stream(error):
            self.only_streams = True
            return True
        limit = next((int(body[name]) for name in LIMITS if name in body), 0)
        found = smaller_limit(error, limit, sent) if limit > SMALLEST_REPLY else None
        if found is None or not SMALLEST_REPLY <= found.reply < limit:
            return False
        if found.window is None:
            self.most_reply = found.reply
        else:
            self.window, self.scale = found.window, (found.window - found.reply) / max(sent, 1)
        return True

    def forget_limits(self, before: Self) -> None:
        """Takes back what errors seemed to say of limits and streams, because it was of no use."""
        self.only_streams, self.most_reply = before.only_streams, before.most_reply
        self.window, self.scale = before.window, before.scale

    def most_of(self, limit: int, sent: int) -> int:
        """The limit of a reply to a prompt of `sent` tokens, as far as the endpoint allows it."""
        most = [limit, *([self.most_reply] if self.most_reply else [])]
        if self.window and (left := int(self.window - self.scale * sent)) >= SMALLEST_REPLY:
            most.append(left)
        return min(most)


async def sent_without_refused(
    known: Capabilities,
    body_without: Callable[[Collection[str]], Body],
    send: Callable[[Body], Awaitable[T]],
    sent: int = 0,
) -> tuple[T, Body]:
    """Sends a call, and sends it again without each option that the endpoint refuses.

    `body_without` makes the body without some options, and `sent` is our count of the tokens of the
    prompt. Returns what `send` returns, and the body that was accepted. What had to be left out, or
    to be smaller, is remembered. Raises what `send` raises.
    """
    left_out: set[str] = set()
    before, learned = replace(known), 0
    while True:
        body = body_without(known.refused | left_out)
        try:
            done = await send(body)
        except openai.APIError as error:
            if (status := status_of(error)) not in REFUSING or why_none_succeeds(error):
                raise
            if learned < MOST_LEARNED and known.learn(error, body, sent):
                learned += 1
                if body_without(known.refused | left_out) != body:
                    continue
            # Another call may have found out meanwhile what the endpoint refuses.
            while body_without(known.refused | left_out) == body:
                vague = status in VAGUELY
                name = _next_refused(error, body, known.refused | left_out, vague=vague)
                if name is None:
                    known.forget_limits(before)
                    raise
                left_out.add(name)
        else:
            if LARGE_LIMIT in left_out:  # which depends on the length of the prompt
                left_out -= {LARGE_LIMIT, NO_ROOM}
            known.refused |= left_out
            known.reasons |= "temperature" in left_out  # only models that reason refuse it
            return done, body


def _next_refused(
    error: openai.APIError, body: Body, already: Collection[str], *, vague: bool
) -> str | None:
    """Returns what is to be left out of a body that was refused, or None if it is not known."""
    sent = body.keys() & set(LEAST_MISSED)
    several = {SEVERAL} if len(body.get("messages", ())) > 1 else set()
    name = refused_option(error, sent | several, vague=vague)
    if name == LARGE_LIMIT:
        return NO_ROOM if NO_ROOM not in already else None if name in already else name
    return str(body[name]["type"]) if name == "response_format" else name


@dataclass(frozen=True, slots=True)
class CallOptions:
    """The options of one call to a chat model.

    `openai_itself` says that the endpoint is one of OpenAI's own, which wants the newer name of
    the limit. `room` is the number of tokens for reasoning. `attempt` is 1 where a first attempt
    gave no text, because the model's reasoning reached the limit. `sent` is our own count of the
    tokens of the prompt. `more` holds fields of the body that the user has set. `plain`
    leaves the schema out of this call.
    """

    model: str
    request: Request
    known: Capabilities
    openai_itself: bool = False
    room: int = 0
    attempt: int = 0
    sent: int = 0
    more: Mapping[str, object] = field(default_factory=dict)
    plain: bool = False

    def body(self, refused: Collection[str] | None = None, *, stream: bool = False) -> Body:
        """Returns the body of the call without the options that are refused, `known` by default."""
        refused = self.known.refused if refused is None else refused
        messages = [{"role": one.role, "content": one.content} for one in self.request.messages]
        if SEVERAL in refused:
            messages = [{"role": "user", "content": _as_one(self.request.messages)}]
        options: Body = {"temperature": 0.0}
        if stream or self.known.only_streams:
            options |= {"stream": True, "stream_options": {"include_usage": True}}
        names = LIMITS if self.openai_itself else LIMITS[::-1]
        if limit := next((name for name in names if name not in refused), None):
            if LARGE_LIMIT not in refused:
                options[limit] = self.limit(refused)
            # The bias and a limit of one token go together: a model that is biased towards words
            # does not stop by itself. A model that reasons could not reason within one token.
            if not self.known.reasons and "logit_bias" not in refused and (bias := self._bias()):
                options |= {"logit_bias": bias, limit: 1}
        if self.request.schema and not self.plain:
            options["response_format"] = _format(self.request.schema, refused)
        kept = {k: v for k, v in options.items() if v is not None and k not in refused}
        return {"model": self.model, "messages": messages, **kept, **_left(self.more, refused)}

    def limit(self, refused: Collection[str] | None = None) -> int | None:
        """The largest number of tokens of the reply, reasoning included. None means no limit."""
        if not (asked := self.request.max_tokens):
            return asked
        if NO_ROOM not in (self.known.refused if refused is None else refused):
            asked += self.room * (MORE_ROOM if self.attempt else self.known.reasons)
        return self.known.most_of(asked, self.sent)

    def most(self, body: Body) -> tuple[int, int, int]:
        """The tokens that a call may use at most: input tokens, none of them cached, and output.

        A reply without a limit may be longer.
        """
        schema = tokens.count_line(json.dumps(body.get("response_format")))
        limit = max(int(body.get(name) or 0) for name in LIMITS) or self.limit() or 0
        return at_most(self.sent + schema), 0, limit

    @property
    def no_text(self) -> str:
        """The reason why a reply has no text, if it reached its limit before."""
        if limit := self.limit():
            return (
                f"the model wrote no text within {limit:,} tokens, since its reasoning took them: "
                "set KG_REASONING_TOKENS higher, or use a model that reasons less"
            )
        return (
            "the model wrote no text before the endpoint's own limit of tokens: let the endpoint "
            "serve a larger context window, or use a model that reasons less"
        )

    def _bias(self) -> dict[str, int]:
        """The bias towards the choices of the request, empty where their tokens are not known."""
        if not (self.request.choices and (name := tokens.encoding_for(self.model))):
            return {}
        encoding = tokens.encoding(name)
        ids = [encoding.encode(word)[0] for word in self.request.choices]
        return dict.fromkeys(map(str, ids), 100)


def at_most(sent: int) -> int:
    """The input tokens that an endpoint may count where we count `sent`."""
    return int(MARGIN * sent) + FRAME


def embedding_body(
    model: str,
    texts: Sequence[str],
    dimensions: int | None,
    more: Mapping[str, object],
    refused: Collection[str],
) -> Body:
    """Returns the body of a call to an embedding model, with the fields that the user has set."""
    # Decimal numbers would make the response four times as long as base64.
    options = {"encoding_format": "base64", "dimensions": dimensions}
    kept = {name: v for name, v in options.items() if v is not None and name not in refused}
    return {"model": model, "input": list(texts), **kept, **_left(more, refused)}


def _left(more: Mapping[str, object], refused: Collection[str]) -> Body:
    return {name: value for name, value in more.items() if name not in refused}


def _as_one(messages: Sequence[Message]) -> str:
    """Returns several messages as one text, in which the replies of the model are named so."""
    replied = {"assistant": "You replied:\n\n"}
    return "\n\n".join(f"{replied.get(one.role, '')}{one.content}" for one in messages)


def _format(schema: Mapping[str, object], refused: Collection[str]) -> Body | None:
    """Returns the `response_format`: a JSON schema or, if the endpoint refuses it, plain JSON."""
    if SCHEMA not in refused:
        strict = {"name": schema["title"], "schema": schema, "strict": True}
        return {"type": SCHEMA, SCHEMA: strict}
    return None if PLAIN_JSON in refused else {"type": PLAIN_JSON}
