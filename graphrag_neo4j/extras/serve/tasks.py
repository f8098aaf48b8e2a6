"""What chat clients ask by themselves about a conversation: titles, tags and the like.

Such a task is known by all of its marks, since a person may begin a question in the same way. It
is answered without a search and without a model. These are the tasks of Open WebUI, and titles in
the forms of LibreChat, LobeChat, big-AGI, Cherry Studio, NextChat, n8n, Jan and Vercel's chatbot.
"""

import json
import re
from typing import Final

from graphrag_neo4j.text.strings import excerpt

TITLE: Final = 60  # characters
NO_TITLE: Final = "Documents"
# A task of Open WebUI begins with this, shows the object to reply with, and then the conversation.
TASK: Final = "### Task:"
KEY: Final = re.compile(r'\{\s*"(\w+)"\s*:')
EMPTY: Final = {"tags": [], "follow_ups": [], "queries": [], "text": ""}
# Other tasks by their marks, with the reply. It is a title where it is empty: that of the
# conversation before the message.
MARKED: Final = (
    ("🙂", "speaker's likely facial expression", "fitting emoji", "Message: ```"),
    ('{"tool_calls": []}', "Available Tools:", "return the correct tool", '"tool_calls": []'),
    ("", "word title summarizing our conversation", "without any lead-in"),
    ("", "title for this conversation based on the user's message", "Only output the title"),
    ("", "title based on the first message a user begins a conversation with", "a summary of"),
)
# The beginning of a task asks for the title of a conversation, and for nothing else.
TITLE_TASK: Final = re.compile(
    r"(?=.{0,120}?\b(?:generate|provide|create|write|extract|give|suggest|summari[sz]e)\b"
    r".{0,160}?\btitle\b)"
    r"(?=.{0,200}?\b(?:conversation|chat|session|discussion|dialogue|thread)\b)"
    r"(?=.{0,1500}?(?:\bonly\b.{0,40}\btitle\b|\btitle\b.{0,20}\bonly\b|\bnothing else\b"
    r"|\bother than the title\b|\d[- ](?:words?|characters)\b))"
    r"|.{0,120}?(?:总结|生成).{0,40}标题",
    re.IGNORECASE | re.DOTALL,
)
# The first question of a conversation that stands in a message.
FIRST_ASKED: Final = re.compile(
    r'^[^\w\n]{0,8}(?:user|you|human|用户)\W{0,3}?[:：]\s*"?([^"\n]+)'
    r'|"role":\s*"user",\s*"\w+":\s*"([^"\\]+)',
    re.IGNORECASE | re.MULTILINE,
)
ABOUT: Final = re.compile(
    r"summarize in a \d+-word title\. give the title only\.(?: here is the message:)?\s*(.+)",
    re.IGNORECASE,
)


def task_reply(instructions: str, last: str, first: str) -> str | None:
    """The reply to a task about a conversation, never empty; None if it is a question.

    `instructions` are the system messages, `last` is the last message, and `first` the first one of
    the user.
    """
    for reply, *marks in MARKED:
        if all(mark in f"{instructions}\n{last}" for mark in marks):
            return reply or excerpt(first, TITLE) or NO_TITLE
    if any(map(TITLE_TASK.match, (instructions, last))) and FIRST_ASKED.search(last):
        return _title(last)
    about = ABOUT.match(last)
    return excerpt(about[1], TITLE) if about else _object(last)


def _object(task: str) -> str | None:
    before, _, rest = task.partition("<chat_history>")
    said, closed, _ = rest.rpartition("</chat_history>")
    key = KEY.search(before) if closed and before.lstrip().startswith(TASK) else None
    name = key[1] if key else ""
    values = {"title": _title(said), "prompt": _title(said), **EMPTY}  # the second is of a picture
    return json.dumps({name: values[name]}, ensure_ascii=False) if name in values else None


def _title(conversation: str) -> str:
    found = FIRST_ASKED.search(conversation)
    return excerpt(found[1] or found[2], TITLE) if found else NO_TITLE
