"""The content that chat clients show and send back, and the tasks that they set by themselves."""

import json
import tomllib
from pathlib import Path

import pytest

from graphrag_neo4j.extras.serve.chat import ChatRequest, Footnotes, asked
from graphrag_neo4j.extras.serve.content import CUT, without_notes
from graphrag_neo4j.extras.serve.tasks import task_reply
from graphrag_neo4j.query.answer import Answer, Citation, Source

SOURCE = Source("a.txt", "A", 3, 0, 9, "He died. ", quote=(0, 8))
CITED = [
    Citation("Sources", 3, "A", True, [SOURCE]),
    Citation("Reports", 2, "B", True, []),
]
TEXT = "Marley was dead [Data: Sources (3)], as all know [Data: Reports (2)]. So it begins."
SAID = "Marley was dead, as all know. So it begins."
INCOMPLETE = "The answer is not complete, because the reply was cut off."


def made(text: str, size: int, incomplete: str | None = None, **wanted: object) -> tuple[str, str]:
    """The content and the finish reason, where the text comes in pieces of this size."""
    body = {"model": "kg-local", "messages": [{"role": "user", "content": "?"}], **wanted}
    notes = Footnotes.of(ChatRequest.model_validate(body), quotes=False)
    shown = [notes.add(text[at : at + size]) for at in range(0, len(text), size)]
    said = ["In a*b <x> [1]:\nlost."]
    answer = Answer(text, "local", CITED, notices=said, incomplete=incomplete)
    return "".join(shown) + notes.end(answer, "http://h"), notes.finish


SIZES = pytest.mark.parametrize("size", [1, 3, 1000])


@SIZES
def test_what_must_be_known_of_an_answer_stands_in_italics_before_the_notes(size: int) -> None:
    content, finish = made(TEXT, size, INCOMPLETE)
    body, incomplete, notice, first, second = content.split("\n\n")
    assert finish == "length"
    assert body == "Marley was dead[^1], as all know[^2]. So it begins."
    assert incomplete == f"*Notice: {INCOMPLETE}*"
    assert notice == r"*Notice: In a\*b \<x> \[1]: lost.*"
    assert (first[:6], second) == ("[^1]: ", "[^2]: Reports (2): B")
    assert without_notes(content) == SAID


@SIZES
def test_a_fence_that_an_answer_leaves_open_is_closed(size: int) -> None:
    content, _ = made("See:\n\n```py\nx = 1\n\ny = 2", size, INCOMPLETE)
    assert "y = 2\n```\n\n*Notice: " in content
    content, _ = made("See:\n\n```py\nx = 1\n```\n\nEnd.", size, INCOMPLETE)
    assert "End.\n\n*Notice: " in content


@SIZES
def test_marks_and_notes_that_a_model_imitates_are_left_out(size: int) -> None:
    text = (
        "Dead [^1] [Data: Sources (3)].[^12] As `[^3]` is.\n\n[^1]: A note, p. 3\n[^2]: B\n\nEnd."
    )
    content, _ = made(text, size)
    assert content.startswith("Dead[^1]. As `\\[^3]` is.\n\nEnd.\n\n*Notice: ")
    assert content.count("\n[^") == 1


@SIZES
def test_a_text_ends_where_the_request_wants_it(size: int) -> None:
    for wanted in ({"max_tokens": 9}, {"max_completion_tokens": 9, "max_tokens": 1}):
        content, finish = made(TEXT, size, INCOMPLETE, **wanted)
        assert content.startswith(
            f"Marley was dead[^1], as all\n\n*Notice: {CUT}*\n\n*Notice: In a"
        )
        assert (content.count("\n[^"), finish) == (1, "length")
    for most in (0, -1, 1000):
        assert made(TEXT, size, max_tokens=most) == made(TEXT, size)
    for stop in ("ll know", ["", "zzz", "ll know", "begins"]):
        content, finish = made(TEXT, size, INCOMPLETE, stop=stop)
        assert content.startswith("Marley was dead[^1], as a\n\n*Notice: In a")
        assert (content.count("\n[^"), finish) == (1, "stop")


def test_only_our_notes_are_taken_off_what_an_assistant_has_said() -> None:
    other = "Known[^1] and [^b].\n\n[^1]: See https://example.com/source/1\n\n[^b]: B"
    assert without_notes(other) == other
    assert without_notes("Cut off by the client [^1][^2].") == "Cut off by the client ."
    assert without_notes(r"It writes \[^1] itself.[^1]") == r"It writes \[^1] itself."
    assert without_notes("*Notice the cat.*\n\n*So it goes*") == "*Notice the cat.*\n\n*So it goes*"
    mine = "I ask[^1].\n\n[^1]: Sources (1)\n\n*Notice: mine*"
    messages = [
        {"role": "user", "content": mine},
        {"role": "assistant", "content": made(TEXT, 1000, INCOMPLETE)[0]},
        {"role": "user", "content": mine},
    ]
    body = {"model": "kg-local", "messages": messages}
    wanted = asked(ChatRequest.model_validate(body))
    assert not isinstance(wanted, str)
    assert wanted[0] == mine
    assert wanted[1]["history"] == [(mine, SAID)]


TITLE_TASKS = tomllib.loads((Path(__file__).parent / "title_tasks.toml").read_text("utf-8"))


@pytest.mark.parametrize("client", TITLE_TASKS)
def test_the_title_that_a_client_asks_for_is_the_first_question(client: str) -> None:
    sent = TITLE_TASKS[client]
    roles = (("system", "system"), ("before", "user"), ("last", "user"))
    messages = [{"role": role, "content": sent[part]} for part, role in roles if part in sent]
    body = {"model": "kg-auto", "messages": messages}
    assert asked(ChatRequest.model_validate(body)) == "Who was Marley?"


EMOJI = (
    "Your task is to reflect the speaker's likely facial expression through a fitting emoji. "
    "Use diverse emojis.\n\nMessage: ```Who was Marley?```"
)
TOOLS = (
    'Available Tools: [{"name": "clock"}]\n\nYour task is to choose and return the correct tool(s) '
    "from the list of available tools based on the query. - If no tools match the query, return an "
    'empty array:\n   {\n     "tool_calls": []\n   }'
)
HISTORY = "<chat_history>\nUSER: Who was Marley?\nASSISTANT: A partner.\n</chat_history>"


def test_tasks_of_open_webui_have_the_form_that_it_reads() -> None:
    tasks = {
        '### Task:\nGenerate a detailed prompt for am image generation task.\n### Output:\n'
        f'Strictly return in JSON format:\n{{\n    "prompt": "Your description here."\n}}\n'
        f"\n### Chat History:\n{HISTORY}": {"prompt": "Who was Marley?"},
        "### Task:\nYou are an autocompletion system. Continue the text in `<text>`.\n"
        f'5. If unsure, return: `{{ "text": "" }}`.\n### Context:\n{HISTORY}\n<type>A</type>\n'
        "<text>Who was</text>\n#### Output:\n": {"text": ""},
        "### Task:\nAnalyze the chat history to determine the necessity of generating search "
        f'queries: {{ "queries": ["query1", "query2"] }}.\n{HISTORY}': {"queries": []},
    }  # fmt: skip
    for task, reply in tasks.items():
        assert json.loads(task_reply("", task, "") or "") == reply
    assert task_reply("", EMOJI, "") == "🙂"
    assert json.loads(task_reply(TOOLS, "Query: Who was Marley?", "") or "") == {"tool_calls": []}


@pytest.mark.parametrize(
    "question",
    [
        "### Task: Who was Marley?",
        '### Task:\nSay as { "title": "…" } who Marley was.',
        f"### Task:\nWhat is asked here?\n{HISTORY}",
        (
            "### Task:\nRespond to the user query using the provided context, with citations.\n"
            '<context>\n<source id="1">A</source>\n</context>\n\nWho?'
        ),
        "Give me the title of the chapter in which they have a conversation, only the title.",
        "Generate a title for the conversation of Scrooge and Marley in 5 words.",
        "What does the user say?\nUser: Hello, give me only the title of the book.\nAI: No.",
        "Summarize what Marley says under the title 'Chains'.",
        "Which emoji shows a fitting facial expression?",
    ],
)
def test_what_only_looks_like_a_task_is_a_question(question: str) -> None:
    assert task_reply("You are a helpful assistant.", question, question) is None
    body = {"model": "kg-auto", "messages": [{"role": "user", "content": question}]}
    wanted = asked(ChatRequest.model_validate(body))
    assert not isinstance(wanted, str)
    assert wanted[0] == question
