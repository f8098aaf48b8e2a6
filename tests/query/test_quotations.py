"""Quotations in a model's answer: what the cited records do not hold is marked."""

from collections.abc import AsyncIterator

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.cli.output.answer import with_footnotes
from graphrag_neo4j.extras.serve.chat import Footnotes
from graphrag_neo4j.extras.serve.mcp import tool_answer
from graphrag_neo4j.model.citations import CitationRef
from graphrag_neo4j.model.context import ContextRecord, ContextTable
from graphrag_neo4j.query.answer import METHODS, Answer
from graphrag_neo4j.query.quotations import cited_texts, misquoted
from graphrag_neo4j.settings import Settings, load_settings
from tests.conftest import KEY
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.fake_endpoint.server import HttpResponse
from tests.support.odd_endpoint import EVENTS, events
from tests.support.recording_endpoint import Body, Usual, mannered_endpoint
from tests.support.servers import TestServer
from tests.support.wiping import wipe

# Deutscher Bundestag, Plenarprotokolle 17/39 und 18/97 (official works).
MERKEL = """Dr. Angela Merkel, Bundeskanzlerin:
Das Programm hat eine Laufzeit von drei Jahren, wie alle Programme des Internationalen
Währungsfonds. Der Internationale Währungsfonds wird davon 30 Mil-liarden Euro übernehmen.
Die Überschrift dessen, was wir beraten - "Maßnahmen zum Erhalt der Stabilität der
Währungsunion" -, bringt diese Tragweite unzureichend zum Ausdruck.
(Beifall bei der CDU/CSU und der FDP)
Das erlegt uns allen eine außerordentlich große Verantwortung auf."""
ZDEBEL = """97. Sitzung (18. Wahlperiode)
Hubertus Zdebel (DIE LINKE):
Ohne staatliche Mittel würde es keine weiteren Atomkraftwerke geben – das wissen Sie alle –, weil
sie beim Bau und Betrieb und mit Blick auf die Endlagerung viel zu teuer sind. Dieser Beschluss der
EU-Kommission ist ein Schlag gegen die Energiewende durch erneuerbare Energien."""
# Assemblée nationale, question orale n° 8, 2017.
BRUN = """M. Fabrice Brun. Nous n'acceptons pas cette véritable mise sous tutelle, d'ailleurs
unanimement dénoncée par les acteurs de santé de notre bassin de vie. La loi « Touraine » du
26 janvier 2016 a porté un très mauvais coup à l'hôpital d'Aubenas."""
RUSSIAN = (
    "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему."
)
JAPANESE = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。"
HELD: dict[CitationRef, list[str]] = {
    ("Sources", 1): [MERKEL],
    ("Sources", 2): [ZDEBEL],
    ("Sources", 3): [BRUN],
    ("Sources", 4): [RUSSIAN],
    ("Sources", 5): [JAPANESE],
    ("Claims", 1): [],
}


@pytest.mark.parametrize(
    "text",
    [
        "Es habe „eine Laufzeit von drei Jahren“ [Data: Sources (1)].",
        "Der Fonds übernehme »30 Milliarden Euro« [Data: Sources (1)].",
        "„Bringt diese Tragweite [nur] unzureichend zum Ausdruck“ [Data: Sources (1)]",
        # Over a cue, which is no part of the speech.
        "„zum Ausdruck. Das erlegt uns allen … Verantwortung auf!“ [Data: Sources (1)]",
        "„Maßnahmen […] der Währungsunion‘ –, bringt diese“ [Data: Sources (2, 1)].",
        "Laut [Data: Sources (2)] ist es „[e]in Schlag gegen die Energiewende“.",
        "„keine *weiteren* Atomkraftwerke geben — das wissen Sie alle — …“ [Data: Sources (2)]",
        "In der „97. Sitzung“ [Data: Sources (2)].",
        "Il refuse « cette véritable mise sous tutelle (...) dénoncée » [Data: Sources (3)].",
        "La loi “Touraine” [Data: Sources (2)]; une « mise à mort » [Data: Sources (3)].",
        "«Все счастливые семьи похожи друг на друга» [Data: Sources (4)].",
        "「どこで生れたかとんと見当がつかぬ」と言う [Data: Sources (5)]。",
        # Names and single words; no citation; a citation that holds nothing; the question.
        "Die „sogenannte Reform“ und der „Rat der Weisen“ [Data: Sources (1)].",
        "Er sagt „das hat niemand jemals so gesagt“.",
        "Er sagt „das hat niemand jemals so gesagt“ [Data: Claims (1)].",
        "Zu „Wer zahlt für Hinkley Point C?“ sagt er nichts [Data: Sources (2)].",
        'It was 5" by 7" in the ‘90s, and the workers’ rights [Data: Sources (1)].',
    ],
)
def test_what_a_cited_record_holds_is_not_marked(text: str) -> None:
    assert misquoted(text, HELD, "Wer zahlt für Hinkley Point C?") == {}


@pytest.mark.parametrize(
    ("text", "ref", "told"),
    [
        # Shortened without an ellipsis; parts in another order; another number; another session.
        ("„{}“ [Data: Sources (1)].", 1, "Das Programm hat eine Laufzeit wie alle Programme"),
        ("„{}“ [Data: Sources (1)].", 1, "Verantwortung auf … eine Laufzeit von drei Jahren"),
        ("„{}“ [Data: Sources (1)].", 1, "80 Milliarden Euro"),
        ("In der „{}“ [Data: Sources (2)].", 2, "153. Sitzung"),
        # A word that only contains the quoted one, which turns the meaning round.
        ("„{}“ [Data: Sources (2)].", 2, "eine weiteren Atomkraftwerke geben"),
        # Of another source, in other kinds of quotation marks.
        ("Laut [Data: Sources (2)] „{}“.", 2, "eine Laufzeit von drei Jahren"),
        ("« {} » [Data: Sources (3)]", 3, "cette mise sous tutelle est dénoncée"),
        ("»{}« [Data: Sources (3)]", 3, "cette mise sous tutelle est dénoncée"),
        ("“{}” [Data: Sources (3)]", 3, "the hospital has been dealt a blow"),
        ("‘{}’ [Data: Sources (3)]", 3, "the hospital’s been dealt a blow"),
        ('"{}" [Data: Sources (3)]', 3, "the hospital has been dealt a blow"),
        ("Han sade ”{}” [Data: Sources (3)]", 3, "sjukhuset har fått ett hårt slag"),
        ("«{}» [Data: Sources (4)]", 4, "Все несчастные семьи похожи друг на друга"),
        ("「{}」 [Data: Sources (5)]", 5, "吾輩は犬である。名前はもう有る。"),
    ],
)
def test_what_no_cited_record_holds_is_marked(text: str, ref: int, told: str) -> None:
    assert misquoted(text.format(told), HELD) == {("Sources", ref): [told]}


def test_a_report_is_read_for_what_it_cites() -> None:
    table = ContextTable(float("inf"), len)
    text = "Die Regierung „hat den Vertrag gebrochen“ [Data: Entities (7)]."
    table.add([ContextRecord("Reports", 2, "r", text), ContextRecord("Entities", 8, "e", "Bonn")])
    assert cited_texts([table]) == {
        ("Reports", 2): [text],
        ("Entities", 7): [text],
        ("Entities", 8): ["Bonn"],
    }


@pytest.fixture(scope="module")
async def debates(checked_server: TestServer) -> AsyncIterator[Settings]:
    with FakeEndpoint() as endpoint:
        settings = load_settings(
            **checked_server.settings, openai_base_url=endpoint.url, openai_api_key=KEY, gleanings=0
        )
        async with checked_server.connect() as graph:
            await wipe(graph)
            async with AsyncGraphRAG(settings) as rag:
                await rag.index([Document(MERKEL, "17039.txt"), Document(ZDEBEL, "18097.txt")])
            yield settings
            await wipe(graph)


async def ask(settings: Settings, said: str) -> Answer:
    def manner(body: Body, _usual: Usual) -> HttpResponse | None:
        if "messages" not in body:
            return None
        delta = {"choices": [{"index": 0, "delta": {"content": said}, "finish_reason": None}]}
        return HttpResponse(body=events(delta).encode(), content_type=EVENTS)

    with mannered_endpoint(manner) as (url, _):
        async with AsyncGraphRAG(settings.changed(openai_base_url=url)) as rag:
            return await rag.query("Was sagt Frau Merkel?", method="basic")


async def test_each_form_of_an_answer_shows_a_false_quotation(debates: Settings) -> None:
    async with AsyncGraphRAG(debates) as rag:
        context = (await rag.basic_search("Merkel?", context_only=True)).context
    records = context[0].records.values()
    merkel, zdebel = (
        next(one.ref for one in records if word in one.text) for word in ("Laufzeit", "Energie")
    )
    false = "Das Programm hat eine Laufzeit wie alle Programme"
    true = "wie alle Programme des Internationalen Währungsfonds"
    text = f"„{true}“ [Data: Sources ({merkel})]. „{false}“ [Data: Sources ({zdebel})]."
    answer = await ask(debates, text)
    told = {one.ref: list(one.misquoted) for one in answer.citations}
    assert told == {merkel: [], zdebel: [false]}
    flaw = f"the quotation “{false}” is not there word for word"
    assert [one.flaws for one in answer.citations] == [[], [flaw]]
    assert [one["misquoted"] for one in answer.to_dict()["citations"]] == [(), [false]]
    assert [one.misquoted for one in tool_answer(answer).sources] == [[], [false]]
    assert with_footnotes(answer).count(flaw) == 1
    notes = Footnotes(quotes=False)
    assert (notes.add(answer.text) + notes.end(answer, "http://h")).count(flaw) == 1


async def test_what_the_program_quotes_is_never_marked(debates: Settings) -> None:
    alone = debates.changed(openai_api_key=None, openai_base_url=None)
    async with AsyncGraphRAG(alone) as rag:
        for method in METHODS:
            answer = await rag.query("Welche Laufzeit hat das Programm?", method=method)
            assert answer.origin == "extractive"
            assert not any(one.misquoted for one in answer.citations)
