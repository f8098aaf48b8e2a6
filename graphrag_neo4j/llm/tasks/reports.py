"""Asks a model for reports: on one community, or on several small ones in one request.

Half of all communities have less material than the instructions have text. So small ones of one
level share a request. A model may confuse them, or forget one. A report that is missing, that cites
the records of another community, or that tells more of another than of its own, is asked for once
more by itself.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.copies import are_new, is_loop, tells_of_another, words
from graphrag_neo4j.llm.prompts import WorkedPrompt, marked
from graphrag_neo4j.llm.replies.schemas import ReportSchema, ReportsSchema
from graphrag_neo4j.llm.replies.structured_output import read_json
from graphrag_neo4j.llm.tasks.reply_limits import REPORT_WORDS, reply_limit, shared_limit
from graphrag_neo4j.model.citations import as_written, cited
from graphrag_neo4j.model.context import ContextTable
from graphrag_neo4j.model.types import FindingText, LLMTask, Message, Request, WrittenReport
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.strings import flat, fold_prose, identify

SHARED: Final = 3_000  # tokens of material in one request
SHORTEST: Final = 200  # words that a report may always have
WORDS: Final = 0.5  # of a report for each token of its material
FORM = (
    '{"title": "…", "summary": "…", "rating": 5.0, "rating_explanation": "…", '
    '"findings": [{"summary": "…", "explanation": "…"}]}'
)
ALONE: Final = {
    "each_community": "the community",
    "reply_form": f"One JSON object and nothing else: {FORM}",
    "report_length": f"At most {REPORT_WORDS} words in all.",
}
SEVERAL: Final = {
    "each_community": "each community",
    "reply_form": (
        "Write each report from the material of its own community, and cite no other. One JSON "
        "object and nothing else, with each community by its number: "
        f'{{"reports": [{{"community": 1, {FORM[1:]}]}}'
    ),
    "report_length": "How many words a report may have stands after its material.",
}


class Reports:
    """The LLM tasks that write reports.

    `values` fill the placeholders of the prompt, and `known` names all that it may hold. Raises
    InputError if the prompt file can't be used.
    """

    def __init__(
        self, settings: Settings, values: Mapping[str, str], known: tuple[str, ...]
    ) -> None:
        self._settings, self._values = settings, values
        self._prompt = WorkedPrompt.load(
            "report",
            settings,
            known=known,
            needs="input_text",
            context_tokens=settings.report_context_tokens,
        )

    @property
    def signature(self) -> str:
        """A hash of the model and the prompt of a report."""
        prompts = (self._prompt.fill({**self._values, **form}) for form in (ALONE, SEVERAL))
        return identify("report", self._settings.model, *prompts)

    @property
    def shared_tokens(self) -> int:
        """The largest number of tokens of material in a request for several reports.

        It is 0 for a prompt of the user's own that can't ask for several.
        """
        text = self._prompt.prompt.text
        can_share = all(name in text for name in ("each_community", "reply_form"))
        return min(SHARED, self._settings.report_context_tokens) if can_share else 0

    def one(self, context: str) -> LLMTask[WrittenReport]:
        """Writes a report on the elements in `context`.

        If the reply is not a valid report, or repeats the instructions or itself, the model is
        asked a second time. Raises ReplyError if the second reply can't be used either.
        """
        request = self._request(ALONE, marked(context), reply_limit("report", self._settings))
        return (
            yield from read_json(
                request, ReportSchema, lambda found, odd: self._checked(found, odd, context)
            )
        )

    def several(self, tables: Sequence[ContextTable]) -> LLMTask[list[WrittenReport | ReplyError]]:
        """Writes a report on each of several contexts; an error where it can't be used."""
        found = (yield from self._asked_together(tables)) if len(tables) > 1 else {}
        written: list[WrittenReport | ReplyError] = []
        for number, table in enumerate(tables, start=1):
            try:
                written.append(found.get(number) or (yield from self.one(table.text)))
            except ReplyError as error:
                written.append(error)
        return written

    def _asked_together(self, tables: Sequence[ContextTable]) -> LLMTask[dict[int, WrittenReport]]:
        """Returns the usable reports by the numbers of their communities, from 1."""
        most = [min(REPORT_WORDS, max(SHORTEST, int(WORDS * table.tokens))) for table in tables]
        texts = [table.text for table in tables]
        shown = "\n\n".join(
            f"Community {number}\n\n{marked(text)}\n\nAt most {n} words."
            for number, (text, n) in enumerate(zip(texts, most, strict=True), 1)
        )
        materials = [set(words(text)) for text in texts]
        citable = [table.refs for table in tables]

        def check(reply: ReportsSchema, odd: list[str]) -> dict[int, WrittenReport]:
            found: dict[int, WrittenReport] = {}
            for one in reply.reports:
                place = one.community - 1
                if not 0 <= place < len(tables):
                    odd.append("a report on a community that was not asked about")
                    continue
                whole = " ".join([one.title, one.summary, *(f.explanation for f in one.findings)])
                refs = {ref for f in one.findings for ref in cited(f"{f.summary} {f.explanation}")}
                if refs & (set().union(*citable) - citable[place]) or tells_of_another(
                    whole, place, materials
                ):
                    odd.append("a report that tells of another community")
                    continue
                try:
                    found[one.community] = self._checked(one, odd, texts[place])
                except ReplyError as error:
                    odd.append(str(error))
            return found

        request = self._request(SEVERAL, shown, shared_limit(sum(most)))
        try:
            return (yield from read_json(request, ReportsSchema, check))
        except ReplyError as error:
            if not error.reached:  # more calls would not reach it either
                raise
            return {}

    def _request(self, form: Mapping[str, str], shown: str, limit: int) -> Request:
        prompt = self._prompt.fill({**self._values, **form, "input_text": shown})
        return Request("report", (Message("user", prompt),), limit)

    def _checked(self, written: ReportSchema, odd: list[str], context: str) -> WrittenReport:
        written = self._without_instructions(written, odd, context)
        written = _without_repetitions(written, odd)
        return WrittenReport(
            title=flat(fold_prose(as_written(written.title))),
            summary=fold_prose(written.summary),
            findings=[
                FindingText(flat(fold_prose(as_written(one.summary))), fold_prose(one.explanation))
                for one in written.findings
            ],
            rating=written.rating,
            rating_explanation=fold_prose(written.rating_explanation),
        )

    def _without_instructions(
        self, written: ReportSchema, odd: list[str], context: str
    ) -> ReportSchema:
        """Returns a report without the findings that repeat the instructions, which are noted.

        Raises ReplyError if nothing else is left, or if the title or the summary repeats them.
        """

        def copied(text: str) -> bool:
            return self._prompt.instructions.are_copied_in(text, context)

        for name, text in (("title", written.title), ("summary", written.summary)):
            if copied(text):
                raise ReplyError(f"the {name} repeats the instructions instead of following them")
        findings = [one for one in written.findings if not copied(one.explanation or one.summary)]
        if not findings:
            raise ReplyError("the findings repeat the instructions instead of following them")
        odd += ["a finding repeats the instructions"] * (len(written.findings) - len(findings))
        return written.model_copy(update={"findings": findings})


def _without_repetitions(written: ReportSchema, odd: list[str]) -> ReportSchema:
    """Returns a report without the findings that repeat an earlier one, which are noted.

    Raises ReplyError if the report is nothing but one repeated sentence: if the summary is one, or
    if only one of three or more findings is left.
    """
    if is_loop(written.summary):
        raise ReplyError("the summary repeats one sentence again and again")
    new = are_new(one.explanation or one.summary for one in written.findings)
    findings = [one for one, is_new in zip(written.findings, new, strict=True) if is_new]
    left_out = len(written.findings) - len(findings)
    if not findings or (len(findings) == 1 and left_out > 1):
        raise ReplyError("the findings repeat one sentence again and again")
    odd += ["a finding repeats an earlier one"] * left_out
    return written.model_copy(update={"findings": findings})
