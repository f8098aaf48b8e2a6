"""What a chunk names, in several languages and genres, typed where certain, and no noise."""

import json

import pytest

from graphrag_neo4j.rules.recognition import recognise
from tests.support.paths import DATA

ENGLISH = (
    "The Massachusetts Institute of Technology (MIT) invited Jerome Powell, the chair of the "
    "Federal Reserve. Powell spoke of machine learning and of neural networks in Boston. A neural "
    "network learns. You know, there are a lot of things, kind of, in 2020, on Monday, and 5,000 "
    "of them. Kevin’s colleagues at Microsoft liked the New York Times and the University of "
    "Washington."
)
GERMAN = (
    "Die Europäische Zentralbank hat am Donnerstag die Zinsen gesenkt. Präsidentin Christine "
    "Lagarde sprach in Frankfurt. Lagarde kennt Sprachmodelle. Anna Weber von der Universität "
    "Heidelberg forscht an Sprachmodellen."
)
CHINESE = (
    "阿里巴巴集团首席执行官张勇在杭州宣布发展人工智能。"
    "李飞飞教授在斯坦福大学研究计算机视觉和人工智能。"
)
FRENCH = (
    "La Banque de France suit la politique monétaire de l'Union. Emmanuel Macron parle à Paris de "
    "la politique monétaire et de l'économie."
)
JAPANESE = "東京大学の研究者は人工知能を開発した。ソニーも。"
KOREAN = "삼성전자는 서울에서 반도체를 발표했다. 삼성전자의 반도체 투자는 늘었다."


def named(text: str) -> dict[str, str]:
    return {thing.name: thing.kind for thing in recognise(text).things.values()}


@pytest.mark.parametrize(
    ("text", "language", "names"),
    [
        (ENGLISH, "en", {"Jerome Powell", "machine learning", "neural network", "New York Times"}),
        (GERMAN, "de", {"Europäische Zentralbank", "Christine Lagarde", "Sprachmodell", "Zins"}),
        (CHINESE, "zh", {"阿里巴巴集团", "张勇", "李飞飞", "人工智能", "斯坦福大学", "杭州"}),
        (FRENCH, "fr", {"Banque de France", "Emmanuel Macron", "politique monétaire"}),
        (KOREAN, "ko", {"삼성전자", "반도체"}),
        (JAPANESE, "ja", {"東京大学", "人工知能", "ソニー"}),
    ],
)
def test_names_and_key_phrases_are_found_in_many_languages(
    text: str, language: str, names: set[str]
) -> None:
    assert recognise(text).language == language
    assert names <= named(text).keys()


def test_what_is_certain_is_typed_and_the_rest_is_not() -> None:
    found = named(ENGLISH) | named(GERMAN) | named(CHINESE)
    assert {found[name] for name in ("Jerome Powell", "Anna Weber", "张勇")} == {"person"}
    assert {found[name] for name in ("Boston", "杭州")} == {"place"}
    schools = ("University of Washington", "Universität Heidelberg", "斯坦福大学")
    assert {found[name] for name in (*schools, "Microsoft")} == {"organization"}
    assert found["machine learning"] == "concept"
    assert found["Federal Reserve"] == ""


def test_a_short_form_joins_the_long_one_of_the_same_chunk() -> None:
    assert not named(ENGLISH).keys() & {"Powell", "MIT"}
    assert "Lagarde" not in named(GERMAN)
    assert named("The chair spoke. Later Powell left the room to Powell.") == {"Powell": ""}
    two = "Jerome Powell met Lewis Powell, and then Powell left."
    assert {"Jerome Powell", "Lewis Powell", "Powell"} <= named(two).keys()
    # A speaker is known by a part of the name, and not named by the tag.
    talk = "KEVIN SCOTT: I like physics.\nJANE LEE: Thanks, Kevin. I like physics."
    assert named(talk) == {"Kevin Scott": "person", "physics": "concept"}


@pytest.mark.parametrize(
    "text",
    [
        "You know, it is a lot of things, kind of, sort of, a bunch of stuff.",
        "In 2020, on Monday, March 3rd, at 5 pm, we had 5,000 of them, 10 percent.",
        "KEVIN SCOTT: Yeah. Okay. Wow!\nGUEST: Hmm, right, thank you so much.",
        "This is a great idea and an amazing opportunity, a really good question.",
        "However, everybody thinks so. Nobody knows. Write to me@example.com today.",
        "We're going to make it work, and they don't want to.",
    ],
)
def test_filler_dates_numbers_and_speaker_tags_are_no_entities(text: str) -> None:
    assert named(text) == {}


def test_a_common_noun_is_a_name_only_with_a_capital_and_a_plural_one_with_its_singular() -> None:
    assert named("Technology changed. Shopify changed.") == {"Shopify": ""}
    assert "Apple" in named("She left for Apple last year.")
    assert "Office" not in named("She left the Office last year.")
    text = "Neural networks run on GPUs. A neural network needs a GPU. Stanford’s GPU is busy."
    assert named(text).keys() == {"neural network", "GPU", "Stanford"}


def test_things_that_share_a_sentence_are_pairs_and_a_lone_one_joins_its_neighbours() -> None:
    text = "Reddit met Shopify. Coursera came. Then it rained.\n\nBaidu stayed."
    pairs = recognise(text).pairs()
    assert set(pairs) == {("reddit", "shopify"), ("coursera", "shopify"), ("coursera", "reddit")}
    assert pairs["reddit", "shopify"] == [(0, 0)]
    assert pairs["coursera", "shopify"] == [(0, 1)]


def test_whole_kinds_of_names_are_found() -> None:
    lines = (DATA / "reading" / "names.txt").read_text(encoding="utf-8").splitlines()[1:]
    wrong = {}
    for line in lines:
        text, _, names = line.partition(" = ")
        found = {name for name, kind in named(text).items() if kind != "concept"}
        if found != set(names.split(", ")):
            wrong[text] = found
    assert len(lines) > 90
    assert wrong == {}


GENRES = DATA / "reading" / "genres"
NOVEL = DATA / "christmas_carol" / "book.txt"
PARAGRAPHS = 12  # in a chunk


def _chunks(genre: str) -> list[str]:
    if genre == "novel":
        book = NOVEL.read_text("utf-8")
        first = book.index("Marley was dead")
        text = book[first : book.index("STAVE TWO", first)]
    else:
        [path] = [path for path in GENRES.glob(f"{genre}.*") if ".names" not in path.name]
        text = path.read_text(encoding="utf-8")
    paragraphs = text.split("\n\n")
    starts = range(0, len(paragraphs), PARAGRAPHS)
    return ["\n\n".join(paragraphs[start : start + PARAGRAPHS]) for start in starts]


@pytest.mark.parametrize(
    ("genre", "precision", "recall"),
    [("minutes", 0.75, 0.85), ("novel", 0.8, 0.85), ("paper", 0.85, 0.85)],
)
def test_the_names_of_a_genre_are_found(genre: str, precision: float, recall: float) -> None:
    named = (GENRES / f"{genre}.names.txt").read_text(encoding="utf-8").splitlines()
    things = [thing for chunk in _chunks(genre) for thing in recognise(chunk).things.values()]
    found = {thing.name for thing in things if thing.kind != "concept"}
    right = found & set(named)
    missed, wrong = sorted(set(named) - right), sorted(found - right)
    assert len(named) >= 30
    assert len(right) >= precision * len(found), wrong
    assert len(right) >= recall * len(named), missed


def test_openings_of_sentences_are_no_part_of_a_name() -> None:
    text = (
        "Wenn Großbritannien zahlt, zahlt auch Frankreich. Aber Frankreich zögert noch.\n"
        "Die Kommission prüft das. Ihre Chancen stehen gut. (3) Zur Einberufung ist er berechtigt."
    )
    found = named(text)
    assert {"Großbritannien", "Frankreich"} <= set(found)
    assert not {"Wenn Großbritannien", "Aber Frankreich", "Ihre Chancen", "Zur Einberufung"} & {
        *found
    }
    spiegel = "Der Spiegel berichtete darüber. Das hat man auch in Der Spiegel gelesen, sagt sie."
    assert "Der Spiegel" in named(spiegel)
    assert "Spiegel" in named("Der Spiegel berichtete darüber. Er hat es im Spiegel gelesen.")
    rochelle = "La Rochelle est une ville du pays. Il habite à La Rochelle depuis un an."
    assert "La Rochelle" in named(rochelle)
    french = "L'Assemblée vote la loi. Il a dit que la loi est votée par l'Assemblée de la France."
    assert "L' Assemblée" not in named(french)
    assert "Assemblée" in named(french)


def test_a_german_genitive_is_the_name_where_the_chunk_has_both() -> None:
    text = "Es war Robert Sanderson. Die Predigt Robert Sandersons war lang, und sie war gut."
    assert "Robert Sandersons" not in named(text)
    assert "Robert Sanderson" in named(text)


@pytest.mark.parametrize("kind", ["podcast", "blog"])
def test_people_are_found_by_full_and_by_given_names(kind: str) -> None:
    lines = (DATA / "reading" / "people" / "passages.jsonl").read_text("utf-8").splitlines()
    missed, wrong, right = list[str](), list[str](), 0
    for passage in filter(lambda one: one["kind"] == kind, map(json.loads, lines)):
        found = {name for name, type_ in named(passage["text"]).items() if type_ == "person"}
        people = [set(forms.split("|")) for forms in passage["persons"]]
        right += sum(bool(forms & found) for forms in people)
        missed += [min(forms) for forms in people if not forms & found]
        wrong += found.difference(*people)
    assert right >= 0.9 * (right + len(wrong)), wrong
    assert right >= 0.75 * (right + len(missed)), missed


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("- Thomas updated the notes.\n- Welcomed Deb, our director.", {"Thomas", "Deb"}),
        ("Present\n\n- Beth Griggs @BethGriggs (TSC)\n- David Wood", {"Beth Griggs", "David Wood"}),
        ("They met Łukasz in Austin. Most of the Steering Council came.", {"Łukasz"}),
        ("Президент Владимир Путин ждал Павла Дурова.", {"Владимир Путин", "Павла Дурова"}),
        ("Accepted PEP 649. Discussed the Julia language. SC discussed budget.", set()),
    ],
)
def test_a_list_names_people_as_prose_does(text: str, people: set[str]) -> None:
    found = named(text)
    assert {name for name, type_ in found.items() if type_ == "person"} == people
    assert not any("discussed" in name or name.startswith("of ") for name in found)


def test_a_form_that_is_only_guessed_is_not_shown() -> None:
    russian = "Зеленского ждали. Мы видели Зеленского в Москве."
    assert {"Зеленского", "Москва"} <= named(russian).keys()
    arabic = "زار السيسي القاهرة. قال السيسي إن القاهرة مستعدة. وعاد السيسي إلى القاهرة."
    assert {"السيسي", "القاهرة"} <= named(arabic).keys()
    assert "발표했다" not in named("삼성전자는 칩을 발표했다. 삼성전자는 또 발표했다.")
