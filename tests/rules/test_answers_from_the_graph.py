"""Whole answers without a model, from a real graph: speakers, boilerplate and themes."""

import re

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document, InputError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.query.answer import METHODS
from graphrag_neo4j.rules.asking import COUNTED
from graphrag_neo4j.settings import Settings

OPENING = "ADA LOVELACE: We at the Talk of Ada ask people what moves them every single week.\n\n"
SAID = {
    "Ben Bloom": "Frogs live near ponds at Lake Garda. Lake Garda has a pond of frogs.",
    "Carl Cole": "Robots of Boston Dynamics walk on stairs. Boston Dynamics makes robots.",
    "Dora Dean": "Sheet music of Clara Schumann is rare. Clara Schumann wrote sheet music.",
    "Emil East": "Solar energy heats the houses of Oslo. In Oslo, solar energy is new.",
    "Fay Fox": "Frogs are in danger at Lake Garda. The pond of Lake Garda is dry.",
}
DOCUMENTS = [
    Document(f"{OPENING}{name.upper()}: {said}\n", f"{number}.txt", f"Talk {number}")
    for number, (name, said) in enumerate(SAID.items(), start=1)
]
QUESTIONS = (
    "Where do frogs live?",
    "What does Ada Lovelace say every week?",
    "How many guests are there?",
    "What is the capital of Mongolia?",
    "What are the main themes?",
)


async def test_answers_name_speakers_and_skip_boilerplate(graph: Graph, alone: Settings) -> None:
    async with AsyncGraphRAG(alone) as rag:
        assert (await rag.index(DOCUMENTS)).complete
        found = [await rag.query(question) for question in QUESTIONS]
        for method in METHODS:  # who says it is not named where he speaks
            ben = await rag.query("What does Ben Bloom say about frogs?", method=method)
            assert "Lake Garda has a pond of frogs." in ben.text, method
    assert all(citation.supported for answer in found for citation in answer.citations)
    live, every, _, mongolia, themes = (one.text for one in found)
    assert "Ben Bloom, in 1.txt (Talk 1), line 3" in live
    assert "every single week" not in every
    assert found[2].notices[0] == COUNTED
    assert mongolia == "No answer to this question was found."
    assert ", in 2 of 5 documents [Data: Reports" in themes
    # What is named everywhere joins nothing: titles name no two episodes at once.
    titles = await graph.run_plain("MATCH (c:Community {origin: 'extractive'}) RETURN c.title AS t")
    assert titles
    for title in (row["t"] for row in titles):
        places = ("Lake Garda", "Boston Dynamics", "Clara Schumann", "Oslo")
        assert sum(place in title for place in places) <= 1


CHINESE = (
    "屠呦呦于1930年出生在宁波。她毕业于北京大学医学院，后来在中国中医研究院工作。\n"
    "1972年，屠呦呦和她的同事从青蒿中提取出青蒿素，这种药物可以治疗疟疾。\n"
    "2015年，屠呦呦获得诺贝尔生理学或医学奖。她是第一位获得诺贝尔科学奖的中国本土科学家。\n"
)


@pytest.mark.usefixtures("graph")
async def test_a_chinese_question_is_read_without_what_links_its_words(alone: Settings) -> None:
    async with AsyncGraphRAG(alone) as rag:
        await rag.index([*DOCUMENTS, Document(CHINESE, "zh.txt", "zh")])
        for question in ("谁发明了青蒿素？", "屠呦呦的出生地是哪里？"):
            assert "青蒿素" in (await rag.query(question)).text, question
        unknown = await rag.query("王安石写了什么诗？")
    assert unknown.text == "No answer to this question was found."


MINUTES = [
    Document(
        f"# Minutes\n\n## 4 March {year}\n\n- The board accepted rule {year}{n}.\n"
        f"- {said}\n\n## 8 April {year}\n\n- Meets in the hall every month for good.\n"
        f"- The board accepted rule {year}9 (on {n} frogs).\n",
        f"minutes-{year}.md",
        metadata={"date": f"{year}-03-04", "dates": [f"{year}-03-04", f"{year}-04-08"]},
    )
    for n, (year, said) in enumerate(
        {
            2021: "Ada Bloom asked for water lilies.",
            2022: "Ben Stone asked for a new water pump.",
            2023: "Water lilies were bought.",
        }.items()
    )
]


@pytest.mark.usefixtures("graph")
async def test_dates_select_and_order_and_a_list_is_long(alone: Settings) -> None:
    async with AsyncGraphRAG(alone) as rag:
        assert (await rag.index(MINUTES)).complete
        asked = await rag.query("What was said of water in March 2022?")
        rules = await rag.query("Which rules were accepted?")
        when = await rag.query("When was water spoken of since 2022?")
        never = await rag.query("What was said of water pumps in 1999?")
        few = await rag.query("What was said of water?", where="date<2022")
        found = [await rag.query("What did Napoleon say of water?", method=one) for one in METHODS]
        meant = await rag.query("What did Ada Blom ask for?")
        rule = await rag.query("What is said of rule 20229?")
        no_rule = await rag.query("What is said of rule 20999?")
        every = await rag.query("What is said of the rules?", all_passages=True)
        best = await rag.query("What is said of the rules?")
        newest = await rag.query("Where does the board now meet?")
        then = await rag.query("Which rules were accepted?", as_of="2022-03")
        before = await rag.query("Which rules were accepted last year?", as_of="2023-12-31")
        with pytest.raises(InputError, match="has a date up to 2020"):
            await rag.query("Which rules were accepted?", as_of="2020")
    one = "The answer rests on one document: minutes-2022.md (2022-03-04)."
    assert list(asked.notices) == ["Read: 1 of 3 documents, dated 2022-03."]
    assert asked.question == "What was said of water in March 2022?"
    assert "pump" in asked.text
    assert "lilies" not in asked.text
    assert [line[:4] for line in rules.text.splitlines()] == ["- Th"] * 6
    assert rules.text.index("20229") < rules.text.index("20232")
    assert when.text.index("pump") < when.text.index("bought")
    assert "Ada" not in when.text
    assert list(never.notices) == [
        "No document is dated 1999, so documents of any time are read.",
        one,
    ]
    assert not few.notices
    assert "pump" not in few.text
    for answer in found:
        assert answer.notices[0] == "“Napoleon” occurs in no document.", answer.method
    assert list(meant.notices) == [
        "The data does not contain the word Blom. Did you mean Ada Bloom?"
    ]
    assert no_rule.notices[0] == "“20999” occurs in no document."
    assert rule.text.count("rule 2") == rule.text.count("rule 20229") == 1
    assert (every.more, best.more) == (0, every.text.count("- ") - best.text.count("- "))
    meets = newest.text.partition("Meets in the hall every month for good.")[2]
    assert meets.splitlines()[1] == "  minutes-2023.md (2023-03-04), line 10"
    assert newest.text.count("Meets") == 1
    assert "minutes-2023" not in then.text
    assert then.text.count("rule 2022") == 2
    assert then.notices[0].startswith("Read: 2 of 3 documents, dated up to 2022-03. Those of later")
    assert before.notices[1] == "Read: 1 of 3 documents, dated 2022."
    assert "4 March" not in re.sub(r"\n  .*", "", every.text)  # no heading is quoted
