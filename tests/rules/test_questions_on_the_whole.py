"""Questions about all documents are told from questions about one thing, in any language."""

import pytest

from graphrag_neo4j.rules.answers import AskedWords
from graphrag_neo4j.rules.ranking import is_global, names_in

WHOLE = {
    "de": [
        "Welches sind die wichtigsten Themen in diesen Texten?",
        "Kannst du mir alles kurz zusammenfassen?",
        "Worum drehen sich die Dokumente im Großen und Ganzen?",
        "Bitte eine Übersicht über den gesamten Inhalt.",
    ],
    "fr": [
        "De quels sujets traitent les documents ?",
        "Peux-tu résumer l'ensemble ?",
        "Quelles sont les grandes questions abordées dans tous les textes ?",
        "Donnez-moi un aperçu général du contenu.",
    ],
    "es": [
        "¿Qué temas se tratan en todos los documentos?",
        "Resume el contenido de los textos.",
        "¿Cuáles son los asuntos más importantes?",
        "Dame una visión general.",
    ],
    "ru": [
        "Какие главные темы обсуждаются в документах?",
        "Сделай краткое резюме всех текстов.",
        "О чём эти документы в целом?",
        "Подведи общий итог.",
    ],
    "ja": [
        "全体としてどんな話題が扱われていますか？",
        "すべての文書を要約してください。",
        "主な論点は何でしょうか。",
        "内容をまとめて教えてください。",
    ],
    "it": ["Di quali argomenti parlano i documenti?", "Riassumi tutti i testi."],
    "pt": ["Quais são os assuntos mais importantes?", "Faça um resumo de todos os documentos."],
    "nl": ["Waar gaan deze documenten over het algemeen over?", "Geef een overzicht."],
    "uk": ["Про що йдеться в усіх документах?", "Зроби короткий огляд."],
    "pl": ["Jakie zagadnienia są najczęściej poruszane?", "Podsumuj wszystkie dokumenty."],
    "sv": ["Vad handlar texterna om?", "Ge en sammanfattning av alla dokument."],
    "da": ["Hvad handler dokumenterne om?", "Giv et kort resumé."],
    "no": ["Hva handler tekstene om?", "Gi meg en oversikt over innholdet."],
    "zh": ["这些文件主要讲了什么？", "请概括全部内容。"],
    "ko": ["문서들의 핵심 내용을 요약해 줘.", "어떤 주제를 다루고 있나요?"],
    "tr": ["Belgelerde hangi konular ele alınıyor?", "Kısa bir özet ver."],
    "ar": ["ما أهم الموضوعات في هذه الوثائق؟", "قدم ملخصا عاما."],
}
PARTICULAR = {
    "de": [
        "Welche Themen standen auf der Tagesordnung vom 5. Mai?",
        "Was ist das Thema von Mathildes Brief?",
        "Wer hat die Zusammenfassung geschrieben?",
        "Was sagt Trittin?",
    ],
    "fr": [
        "Quel est le sujet du discours de Jaurès ?",
        "Quels sont les principaux devoirs du président ?",
        "Que dit le texte sur les haies ?",
        "Qui a parlé ?",
    ],
    "es": [
        "¿De qué trata el artículo 123?",
        "¿Cuáles son los temas de la asamblea de Python España?",
        "¿Qué dice la ley sobre la huelga?",
        "¿Quién fue elegida presidenta?",
    ],
    "ru": [
        "Какие темы обсуждались на встрече в Кремле?",
        "Каковы основные права гражданина?",
        "О чём пел Вертинский?",
        "Кто автор текста?",
    ],
    "ja": [
        "憲法の主な原則は何ですか？",
        "会議で話し合われたテーマは何ですか？",
        "坊っちゃんの主題は何ですか。",
        "うるう秒について教えてください。",
    ],
    "it": ["Qual è l'argomento della riunione?"],
    "pt": ["Qual é o tema da reunião?"],
    "nl": ["Wat is het onderwerp van de vergadering?"],
    "uk": ["Яка тема засідання?"],
    "pl": ["Jaki jest temat posiedzenia?"],
    "sv": ["Vad var ämnet för mötet?"],
    "da": ["Hvad var emnet for mødet?"],
    "no": ["Hva var temaet for møtet?"],
    "zh": ["会议的主题是什么？", "北京大学在哪里？"],
    "ko": ["회의의 주제는 무엇입니까?"],
    "tr": ["Toplantının konusu nedir?"],
    "ar": ["ما موضوع الاجتماع؟"],
}


@pytest.mark.parametrize("language", WHOLE)
def test_a_question_with_no_subject_but_the_whole_is_for_global_search(language: str) -> None:
    assert [one for one in WHOLE[language] if not is_global(one)] == []
    assert [one for one in PARTICULAR[language] if is_global(one)] == []


def test_an_answer_to_it_looks_for_no_words() -> None:
    for question in ("Was sind die Hauptthemen?", "主なテーマは何ですか？"):
        asked = AskedWords.of(question)
        assert (asked.whole, asked.words, asked.names) == (True, frozenset(), ())
    assert not AskedWords.of("Welche Themen hat die Sitzung?").whole


def test_the_word_that_asks_is_no_name() -> None:
    assert names_in("Quel rôle joue le Parlement dans la loi ?") == ("Parlement",)
    assert names_in("Wat zei Rutte over het verdrag?") == ("Rutte",)
