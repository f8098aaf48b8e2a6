"""The fake endpoint, seen through the real OpenAI client."""

import asyncio
import base64
import json
import math
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import jsonschema
import openai
import pytest
from openai.types.chat import ChatCompletion

from graphrag_neo4j.evaluate.statements import citations_in, statements_in
from graphrag_neo4j.llm.replies.lists import read_list
from tests.support.fake_endpoint import FakeEndpoint, text_hash
from tests.support.fake_endpoint.book import CAROL
from tests.support.fake_endpoint.faults import FAULTS
from tests.support.fake_endpoint.options import Options, parse_arguments, to_arguments

TALK = """\
KEVIN SCOTT: Our guest today is Grace Okafor of Stanford University. In 1998 she founded Helio
Labs in San Francisco with Peter Lind, where they built a compiler for telescopes.

GRACE OKAFOR: Thank you, Kevin. Peter Lind and I met at Stanford University. The telescopes came
later, when Helio Labs had 40 people and NASA asked for a better compiler.

KEVIN SCOTT: And what did astronomy teach Helio Labs? Peter Lind once told me that astronomy is
patience. I remember that Grace Okafor disagreed in Paris, at the conference of 2011.
"""
EXTRACT = 'Write ("entity"<|><name><|><type><|><description>).\n\n<text {0}>\n{1}\n</text {0}>'
CLAIMS = "Write (<subject><|><object><|><type><|><status><|>…).\n\n<text {0}>\n{1}\n</text {0}>"
MISSED = "Were entities missed? Answer with one word, Yes or No."
MORE = "MANY entities were missed. Add them."
REPORTS = """\
# Reports
id | report
31 | # Helio Labs # Grace Okafor founded Helio Labs in 1998. ## NASA ## NASA asked \
for a compiler [Data: Claims (7)]. Helio Labs sold it to NASA [Data: Claims (8)].
32 | # Peter Lind # Peter Lind lives in Paris. ## Patience ## He calls astronomy patience.
"""
GO_ON = "Your list was cut off. Go on exactly where it stopped."
O200K = {"13022": 100, "3160": 100}  # Yes, No
CL100K = {"9642": 100, "2822": 100}


@pytest.fixture
def endpoint() -> Iterator[FakeEndpoint]:
    with FakeEndpoint() as running:
        yield running


@pytest.fixture
def client(endpoint: FakeEndpoint) -> Iterator[openai.OpenAI]:
    with _client(endpoint) as connected:
        yield connected


def _client(endpoint: FakeEndpoint, max_retries: int = 0, key: str = "any") -> openai.OpenAI:
    return openai.OpenAI(base_url=endpoint.url, api_key=key, max_retries=max_retries)


def _ask(client: openai.OpenAI, *said: str, **options: Any) -> ChatCompletion:  # noqa: ANN401 - the client's own
    """A conversation in which the user speaks first."""
    roles = ("user", "assistant")
    messages: Any = [{"role": roles[i % 2], "content": text} for i, text in enumerate(said)]
    answer: ChatCompletion = client.chat.completions.create(
        model="gpt-4.1-mini", messages=messages, **options
    )
    return answer


def _marked(text: str) -> str:
    return f"<text abcd1234>\n{text}\n</text abcd1234>"


def _text(answer: ChatCompletion) -> str:
    return answer.choices[0].message.content or ""


def _prompt(text: str = TALK, template: str = EXTRACT) -> str:
    return template.format("0f3a9c", text)


def _lines(reply: str) -> set[str]:
    return {line for line in reply.splitlines() if line.startswith("(")}


def test_an_extraction_prompt_is_answered_with_closed_tuples(client: openai.OpenAI) -> None:
    reply = _text(_ask(client, _prompt()))
    assert reply.endswith("<|COMPLETE|>")
    kinds = {line.partition("<|>")[0] for line in _lines(reply)}
    assert kinds == {'("entity"', '("relationship"'}


def test_the_ends_of_invented_relationships_are_entities() -> None:
    with FakeEndpoint(held_back=0) as endpoint, _client(endpoint) as client:
        records = read_list(_text(_ask(client, _prompt()))).records
    names = {fields[1] for fields in records if fields[0] == "entity"}
    ends = {name for fields in records if fields[0] == "relationship" for name in fields[1:3]}
    assert {"Helio Labs", "Peter Lind", "KEVIN SCOTT"} <= names
    assert ends
    assert ends <= names


def test_a_text_that_holds_delimiters_brings_none_into_a_record(client: openai.OpenAI) -> None:
    mean = TALK.replace("Helio Labs", 'Helio <|> Labs ## ("entity"<|>')
    for line in _lines(_text(_ask(client, _prompt(mean)))):
        assert line.count("<|>") == (4 if line.startswith('("relationship"') else 3)
        assert "#" not in line


def test_claims_are_tuples_of_eight_whose_source_stands_in_the_text(client: openai.OpenAI) -> None:
    claims = read_list(_text(_ask(client, _prompt(template=CLAIMS))), claims=True).records
    assert claims
    folded = " ".join(TALK.split())
    for subject, _, _, status, start, _, _, source in claims:
        assert subject in folded
        assert status in {"TRUE", "FALSE", "SUSPECTED"}
        assert source in folded
        assert start == "NONE" or start[:4] in source


def test_passages_of_the_carol_bring_what_a_real_model_found(client: openai.OpenAI) -> None:
    book = (CAROL / "book.txt").read_text(encoding="utf-8")
    start = book.index("Marley was dead, to begin with.")
    reply = _text(_ask(client, _prompt(book[start : start + 2600])))
    found = {fields[1]: fields[2:] for fields in read_list(reply).records if len(fields) == 4}
    index = json.loads((CAROL / "index.json").read_text(encoding="utf-8"))
    real = {row["name"]: row for row in index["entities"]}
    assert {"SCROOGE", "MARLEY"} <= found.keys()
    for name, (kind, description) in found.items():
        assert kind == real[name]["type"]
        assert description == " ".join(real[name]["description"].split())
    assert "TINY TIM" not in found


def test_the_first_reading_holds_back_what_a_gleaning_brings(client: openai.OpenAI) -> None:
    prompt = _prompt()
    first = _text(_ask(client, prompt))
    answer = _text(_ask(client, prompt, first, MISSED, logit_bias=O200K, max_tokens=1))
    assert answer == "Yes"
    rest = _text(_ask(client, prompt, first, MISSED, "Yes", MORE))
    with FakeEndpoint(held_back=0) as open_handed, _client(open_handed) as other:
        everything = _text(_ask(other, prompt))
    assert _lines(first) | _lines(rest) == _lines(everything)
    assert not _lines(first) & _lines(rest)
    assert _lines(rest)


def test_nothing_is_missed_after_the_gleaning(client: openai.OpenAI) -> None:
    prompt = _prompt()
    first = _text(_ask(client, prompt))
    rest = _text(_ask(client, prompt, first, MISSED, "Yes", MORE))
    said = (prompt, first, MISSED, "Yes", MORE, rest, MISSED)
    assert _text(_ask(client, *said, logit_bias=O200K, max_tokens=1)) == "No"
    assert _lines(_text(_ask(client, *said, "Yes", MORE))) == set()


@pytest.mark.parametrize("bias", [O200K, CL100K])
def test_a_logit_bias_forces_one_of_its_words(
    endpoint: FakeEndpoint, client: openai.OpenAI, bias: dict[str, int]
) -> None:
    prompt = _prompt()
    answer = _ask(client, prompt, "(…)", MISSED, logit_bias=bias, max_completion_tokens=1)
    assert _text(answer) == "Yes"
    assert answer.choices[0].finish_reason == "length"
    assert answer.usage is not None
    assert answer.usage.completion_tokens == 1
    assert endpoint.count("extraction:missed") == 1


def test_without_a_logit_bias_the_answer_is_a_sentence(client: openai.OpenAI) -> None:
    answer = _ask(client, _prompt(), "(…)", MISSED)
    assert _text(answer).startswith("Yes, ")
    assert answer.choices[0].finish_reason == "stop"


def test_a_logit_bias_on_other_words_chooses_among_them(client: openai.OpenAI) -> None:
    bias = {"11849": 100, "5818": 100}  # global, local
    answer = _text(_ask(client, "Which one?", logit_bias=bias, max_tokens=1))
    assert answer in {"global", "local"}


def test_a_cut_reply_goes_on_exactly_where_it_was_cut(
    endpoint: FakeEndpoint, client: openai.OpenAI
) -> None:
    prompt = _prompt()
    whole = _ask(client, prompt)
    assert whole.choices[0].finish_reason == "stop"
    part = _ask(client, prompt, max_tokens=40)
    text = _text(part)
    while part.choices[0].finish_reason == "length":
        part = _ask(client, prompt, text, GO_ON, max_tokens=150)
        text += _text(part)
    assert text == _text(whole)
    assert endpoint.count("extraction:continuation") > 1


def test_an_endpoint_can_cut_every_reply() -> None:
    with FakeEndpoint(output_tokens=20) as endpoint, _client(endpoint) as client:
        answer = _ask(client, _prompt())
    assert answer.choices[0].finish_reason == "length"
    assert answer.usage is not None
    assert answer.usage.completion_tokens == 20


def test_going_on_with_a_whole_list_only_closes_it(client: openai.OpenAI) -> None:
    whole = _text(_ask(client, _prompt()))
    assert _text(_ask(client, _prompt(), whole, GO_ON)) == "<|COMPLETE|>"


def test_descriptions_are_joined_in_few_words_and_each_is_heard(client: openai.OpenAI) -> None:
    listed = "- Helio Labs builds telescopes\n- It was founded in San Francisco"
    prompt = f"Join the descriptions.\n\n<text beef01>\n{listed}\n</text beef01>"
    joined = "Helio Labs builds telescopes It was founded in San Francisco"
    assert _text(_ask(client, prompt)) == joined


def test_many_descriptions_are_joined_in_a_hundred_words(client: openai.OpenAI) -> None:
    listed = "\n".join(f"- Fact {number} is one of many facts." for number in range(200))
    prompt = f"Join the descriptions.\n\n<text beef01>\n{listed}\n</text beef01>"
    assert 90 < len(_text(_ask(client, prompt)).split()) <= 101


def test_a_stream_carries_the_same_reply_and_its_usage(client: openai.OpenAI) -> None:
    plain = _ask(client, _prompt())
    with client.chat.completions.create(
        model="gpt-4.1-mini",
        messages=[{"role": "user", "content": _prompt()}],
        stream=True,
        stream_options={"include_usage": True},
    ) as stream:
        chunks = list(stream)
    pieces = [
        c.choices[0].delta.content for c in chunks if c.choices and c.choices[0].delta.content
    ]
    assert len(pieces) > 1
    assert "".join(pieces) == _text(plain)
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "stop"
    assert chunks[-1].usage == plain.usage


SCHEMA = {
    "type": "object",
    "required": ["title", "rating", "kind", "findings", "note"],
    "additionalProperties": False,
    "properties": {
        "title": {"type": "string", "maxLength": 30},
        "rating": {"type": "number", "minimum": 0, "maximum": 10},
        "kind": {"enum": ["theme", "thing"]},
        "findings": {"type": "array", "minItems": 5, "maxItems": 7, "items": {"$ref": "#/$defs/f"}},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    },
    "$defs": {
        "f": {
            "type": "object",
            "required": ["summary", "score"],
            "properties": {"summary": {"type": "string"}, "score": {"type": "integer"}},
        }
    },
}


def test_a_schema_is_filled_from_the_prompts_text(
    endpoint: FakeEndpoint, client: openai.OpenAI
) -> None:
    wanted = {"type": "json_schema", "json_schema": {"name": "r", "strict": True, "schema": SCHEMA}}
    answer = json.loads(_text(_ask(client, TALK, response_format=wanted)))
    jsonschema.validate(answer, SCHEMA)
    assert answer["title"] in " ".join(TALK.split())
    assert endpoint.count("json:r") == 1


def test_json_mode_follows_the_schema_that_the_prompt_spells_out(client: openai.OpenAI) -> None:
    prompt = f"Reply by this schema:\n{json.dumps(SCHEMA)}\n{TALK}"
    answer = _text(_ask(client, prompt, response_format={"type": "json_object"}))
    jsonschema.validate(json.loads(answer), SCHEMA)


def _nearness(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def test_an_answer_from_reports_has_headed_paragraphs_of_cited_sentences(
    client: openai.OpenAI,
) -> None:
    asked = "What did NASA and Helio Labs do, and what did Peter Lind say of patience?"
    form = 'One JSON object and nothing else: {"answer": "…", "score": 80}'
    mapped = json.loads(_text(_ask(client, f"{form}\n\n{_marked(REPORTS)}\n\n{asked}")))
    assert "Helio Labs sold it to NASA [Data: Reports (31)]." in mapped["answer"]
    assert "#" not in mapped["answer"]
    notes = [mapped["answer"], "Grace Okafor met him [Data: Sources (5)]."]
    listed = [f"Analyst {n}, helpfulness 80:\n{note}" for n, note in enumerate(notes, start=1)]
    joined = "\n\n".join(listed)
    reduced = _text(_ask(client, f"{_marked(joined)}\n\n{asked}"))
    headings = [line for line in reduced.splitlines() if line.startswith("## ")]
    assert len(headings) == len(reduced.split("\n\n")) / 2 >= 1
    assert citations_in(reduced) == citations_in("\n".join(notes))
    statements = statements_in(reduced)
    assert len(statements) >= 4
    assert all(one.citations for one in statements)


def test_texts_that_share_words_have_near_vectors(client: openai.OpenAI) -> None:
    texts = ["a compiler for telescopes", "telescopes need a compiler", "Scrooge hates Christmas"]
    answer = client.embeddings.create(model="any", input=texts)
    one, near, far = (row.embedding for row in answer.data)
    assert math.isclose(_nearness(one, one), 1, rel_tol=1e-6)
    assert _nearness(one, near) > 0.7
    assert _nearness(one, far) < 0.3
    assert answer.usage.prompt_tokens == 16


def test_vectors_come_as_base64_or_as_numbers_and_as_long_as_asked(client: openai.OpenAI) -> None:
    packed, plain = (
        client.embeddings.create(model="any", input="Paris", dimensions=64, encoding_format=form)
        for form in ("base64", "float")
    )
    raw: Any = packed.data[0].embedding
    assert struct.unpack("<64f", base64.b64decode(raw)) == pytest.approx(plain.data[0].embedding)


def test_a_text_without_words_has_a_zero_vector(client: openai.OpenAI) -> None:
    answer = client.embeddings.create(model="any", input=["", "word"])
    assert not any(answer.data[0].embedding)
    assert any(answer.data[1].embedding)


def test_a_wrong_key_an_unknown_model_and_too_long_a_text_are_refused() -> None:
    with FakeEndpoint(key="right", models=("known",), context_tokens=50) as endpoint:
        with _client(endpoint, key="wrong") as stranger, pytest.raises(openai.AuthenticationError):
            stranger.models.list()
        with _client(endpoint, key="right") as client:
            assert [model.id for model in client.models.list()] == ["known"]
            with pytest.raises(openai.NotFoundError, match="does not exist"):
                _ask(client, "Hello")
            with pytest.raises(openai.BadRequestError, match="context length") as refused:
                client.embeddings.create(model="known", input="word " * 60)
            assert refused.value.code == "context_length_exceeded"
        assert [call.status for call in endpoint.log] == [401, 200, 404, 400]


def test_a_parameter_can_be_unknown_to_the_endpoint() -> None:
    with (
        FakeEndpoint(rejects=("logit_bias",)) as endpoint,
        _client(endpoint) as client,
        pytest.raises(openai.BadRequestError) as refused,
    ):
        _ask(client, "Hello", logit_bias=O200K)
    assert refused.value.param == "logit_bias"


def test_a_429_names_the_seconds_to_wait() -> None:
    with FakeEndpoint(too_many=1, retry_after=0.25) as endpoint, _client(endpoint) as client:
        with pytest.raises(openai.RateLimitError) as refused:
            _ask(client, "Hello")
        assert refused.value.response.headers["retry-after"] == "0.25"
        assert endpoint.log[0].fault == "too_many"


def test_the_clients_own_retries_get_through_429() -> None:
    with (
        FakeEndpoint(too_many=0.5, retry_after=0.001) as endpoint,
        _client(endpoint, max_retries=20) as client,
    ):
        for number in range(12):
            assert _text(_ask(client, f"Tell me of number {number}."))
        log = endpoint.log
    assert sum(call.status == 200 for call in log) == 12
    assert sum(call.status == 429 for call in log) > 2
    assert max(call.attempt for call in log) > 1


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("server_error", openai.InternalServerError),
        ("cut", openai.APIConnectionError),
        ("half", openai.APIConnectionError),
    ],
)
def test_other_faults_reach_the_client_as_what_they_are(
    fault: str, error: type[openai.APIError]
) -> None:
    with FakeEndpoint(process=False, **{fault: 1.0}) as endpoint, _client(endpoint) as client:
        with pytest.raises(error):
            _ask(client, _prompt())
        endpoint.change(**{fault: 0.0})
        assert _text(_ask(client, _prompt()))


def test_a_stream_can_break_off(client: openai.OpenAI, endpoint: FakeEndpoint) -> None:
    endpoint.change(half=1.0)
    messages: Any = [{"role": "user", "content": _prompt()}]
    with (
        client.chat.completions.create(model="any", messages=messages, stream=True) as stream,
        pytest.raises(openai.APIConnectionError),
    ):
        list(stream)


def _outcomes(seed: int) -> list[tuple[str, int]]:
    faults = dict.fromkeys(FAULTS, 0.15)
    with FakeEndpoint(process=False, seed=seed, **faults) as endpoint, _client(endpoint) as client:
        for number in [*range(8), *range(8)]:
            try:
                _ask(client, f"Tell me of number {number}.")
            except openai.APIError:
                continue
        return [(call.fault, call.attempt) for call in endpoint.log]


def test_the_same_calls_fail_on_every_run_and_a_second_try_may_succeed() -> None:
    outcomes = _outcomes(seed=1)
    assert outcomes == _outcomes(seed=1)
    assert outcomes != _outcomes(seed=2)
    first, second = outcomes[:8], outcomes[8:]
    assert [attempt for _, attempt in second] == [2] * 8
    assert any(a[0] and not b[0] for a, b in zip(first, second, strict=True))


def test_faults_hit_only_the_kinds_that_are_named() -> None:
    with FakeEndpoint(server_error=1, only=("claims",)) as endpoint, _client(endpoint) as client:
        assert _text(_ask(client, _prompt()))
        with pytest.raises(openai.InternalServerError):
            _ask(client, _prompt(template=CLAIMS))


def test_the_first_calls_of_a_kind_may_be_spared() -> None:
    with FakeEndpoint(server_error=1, spared=1) as endpoint, _client(endpoint) as client:
        for template in (EXTRACT, CLAIMS):
            prompt = _prompt(template=template)
            assert _text(_ask(client, prompt))
            with pytest.raises(openai.InternalServerError):
                _ask(client, prompt)


def test_garbage_is_prose_for_tuples_and_json_and_empty_prose() -> None:
    with FakeEndpoint(garbage=1) as endpoint, _client(endpoint) as client:
        assert "<|" not in _text(_ask(client, _prompt()))
        with pytest.raises(ValueError, match="Expecting value"):
            json.loads(_text(_ask(client, TALK, response_format={"type": "json_object"})))
        assert _text(_ask(client, "Join the descriptions.")) == ""


def test_an_answer_forced_by_a_bias_is_never_garbage() -> None:
    with FakeEndpoint(garbage=1) as endpoint, _client(endpoint) as client:
        answer = _ask(client, _prompt(), "(…)", MISSED, logit_bias=O200K, max_tokens=1)
        assert endpoint.log[0].fault == ""
    assert _text(answer) == "Yes"


def test_a_messy_reply_looks_otherwise_and_holds_the_same_records(client: openai.OpenAI) -> None:
    with FakeEndpoint(messy=1) as endpoint, _client(endpoint) as other:
        for number in range(12):
            prompt = _prompt(f"{TALK}This was talk {number}.")
            clean, messy = _text(_ask(client, prompt)), _text(_ask(other, prompt))
            assert messy != clean
            assert _text(_ask(other, prompt)) == messy
            assert _plain_records(messy) == _plain_records(clean)


def _plain_records(reply: str) -> list[list[str]]:
    return [
        [" ".join(field.casefold().strip('"').split()) for field in fields]
        for fields in read_list(reply).records
    ]


async def test_a_reply_depends_on_the_request_alone(endpoint: FakeEndpoint) -> None:
    async with openai.AsyncOpenAI(base_url=endpoint.url, api_key="any") as client:

        async def ask(number: int) -> str:
            messages: Any = [{"role": "user", "content": _prompt(f"{TALK}Talk {number}.")}]
            return _text(await client.chat.completions.create(model="any", messages=messages))

        one_by_one = [await ask(number) for number in range(10)]
        backwards = await asyncio.gather(*map(ask, reversed(range(10))))
    assert backwards[::-1] == one_by_one


def test_the_log_names_each_call_its_tokens_and_the_text_that_it_reads(
    endpoint: FakeEndpoint, client: openai.OpenAI
) -> None:
    answer = _ask(client, _prompt())
    client.embeddings.create(model="any", input=["one", "two"])
    chat, vectors = endpoint.log
    assert (chat.kind, chat.status, chat.text) == ("extraction", 200, text_hash(TALK))
    assert answer.usage is not None
    assert chat.prompt_tokens == answer.usage.prompt_tokens
    assert chat.completion_tokens == answer.usage.completion_tokens > 100
    assert (vectors.kind, vectors.inputs) == ("embeddings", 2)
    assert chat.time <= vectors.time
    endpoint.reset()
    assert endpoint.log == []


def test_a_process_of_its_own_replies_the_same(client: openai.OpenAI) -> None:
    with FakeEndpoint(process=True) as endpoint, _client(endpoint) as other:
        assert _text(_ask(other, _prompt())) == _text(_ask(client, _prompt()))
        assert endpoint.count("extraction") == 1


def test_its_first_line_is_its_address() -> None:
    command = [
        sys.executable,
        "-m",
        "tests.support.fake_endpoint",
        "--port",
        "0",
        "--latency",
        "0.1",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own module
        assert process.stdout is not None
        assert process.stdout.readline().startswith("http://127.0.0.1:")
        process.terminate()


def test_every_option_can_be_given_on_the_command_line() -> None:
    options = Options(seed=3, key="k", models=("a", "b"), latency=0.5, messy=0.1)
    assert parse_arguments(["--port", "80", *to_arguments(options)]) == (80, options)
