"""Questions made by rules: in forms that quotations answer."""

from collections.abc import Mapping

from graphrag_neo4j.model.material import SuggestionMaterial, Topic
from graphrag_neo4j.rules.query_backend import ABOUT, THEME_QUESTIONS, rule_questions
from graphrag_neo4j.rules.ranking import is_global, subject_words

SAID = (
    "KEVIN SCOTT: Welcome to the program, and thank you for being here with us today, Ada.\n"
    "ADA LOVELACE: I think that engines weave algebraic patterns just as looms weave flowers.\n"
    "ADA LOVELACE: And I never saw two engines that work in quite the same manner, to be honest.\n"
)
DECIDED = (
    "The group decided that the mailing list closes in spring.\n\n"
    "After the vote, moderators of the mailing list agreed to help with the move.\n"
)


def topic(name: str, kind: str = "concept", *texts: str, documents: int = 1) -> Topic:
    passages = [(f"d{n}", text, "Ada Lovelace") for n, text in enumerate(texts)]
    return Topic(name, name, kind, "", documents, passages)


def made(*topics: Topic, years: Mapping[str, int] | None = None) -> list[str]:
    material = SuggestionMaterial((), topics, (), 3, years=years or {})
    return [one.text for one in rule_questions(material)]


def test_a_question_has_the_form_of_what_is_told_and_a_name_that_says_nothing_is_no_topic() -> None:
    topics = [
        topic("engine", "concept", SAID),
        topic("Ada Lovelace", "person", SAID),
        topic("It Is", "concept", "It Is."),
        topic("mailing list", "concept", DECIDED),
        topic("algebra", "concept", "Agenda: All algebra."),
    ]
    assert made(*topics, years={"2021": 1, "2022": 2}) == [
        "What are the main themes?",
        "What was decided in 2022?",
        "What was decided about the mailing list?",
        "What does Ada Lovelace say about engines?",
        "Who is Ada Lovelace?",
        "What do the documents say about algebra?",
    ]
    assert "What changed in 2022?" in made(topics[0], years={"2021": 1, "2022": 2})
    assert made(topics[1], years={"2022": 3}) == [THEME_QUESTIONS["en"], "Who is Ada Lovelace?"]


def test_the_words_of_the_forms_ask_for_nothing_but_the_name() -> None:
    for language, form in ABOUT.items():
        assert is_global(THEME_QUESTIONS[language])
        question = form.format("Darwin")
        assert not is_global(question)
        if language not in ("ja", "zh"):  # read in pairs of characters
            assert subject_words(question) == {"darwin"}


def test_other_languages_get_the_form_that_names_alone_answer() -> None:
    german = "Der Rat der Stadt hat das Geld für die Mole nicht gegeben, und das war nicht gut."
    assert made(topic("Mole", "concept", german)) == [
        "Was sind die Hauptthemen?",
        "Was steht hier über „Mole“?",
    ]
    assert made(topic("北京大学", "organization", "他在北京大学读书。")) == [
        "主要主题是什么？",
        "关于“北京大学”说了什么？",
    ]
    assert made(topic("القاهرة", "location", "ولد الشاعر في القاهرة سنة 1903.")) == [
        "ما هي المواضيع الرئيسية؟",
        "ماذا عن «القاهرة»؟",
    ]
    assert made(topic("Дуров", "person", "Павел Дуров продал свою долю в компании.")) == [
        "Каковы основные темы?",
        "Что здесь сказано на тему «Дуров»?",
    ]
    both = (topic("Mole", "concept", german), topic("engine", "concept", SAID))
    assert made(*both) == [
        "What are the main themes?",
        "Was steht hier über „Mole“?",
        "What does Ada Lovelace say about engines?",
    ]
    # After an answer there is no question on the whole, and its language is that of the others.
    material = SuggestionMaterial((), both, (), 3, ["Wer ist Ada?"], f"{german} Das ist Ada.")
    assert [one.text for one in rule_questions(material)] == [
        "Was steht hier über „Mole“?",
        "Was steht hier über „engine“?",
    ]
    engine = [topic("engine", "concept", SAID)]
    material = SuggestionMaterial((), engine, (), 3, ["Who is Ada?"], "Ada.")
    assert [one.text for one in rule_questions(material)] == [
        "What does Ada Lovelace say about engines?"
    ]
    assert rule_questions(SuggestionMaterial((), (), (), 0, ["Who?"])) == []
