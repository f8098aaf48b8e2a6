"""The report's page in a real Chromium: filters, answers side by side, citations, hostile text."""

import re
from pathlib import Path

import pytest
from selenium.webdriver import Keys

from graphrag_neo4j.extras.evaluate.folder import METRICS, CitedSource, EvaluationFolder
from graphrag_neo4j.extras.evaluate.report import read_evaluation
from graphrag_neo4j.settings import load_settings
from tests.support.chromium import Page, needs_chromium
from tests.support.evaluations import JUDGE, add_verdicts, evaluation

pytestmark = [pytest.mark.slow, needs_chromium, pytest.mark.one_release]

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:alert(1))"
QUOTE = "Ann sails a big ship."
SOURCES = [
    CitedSource("[Data: Reports (3)]", "tales/a.txt", f"{QUOTE} Bob rows. {EVIL}", QUOTE),
    CitedSource("[^1]", EVIL, EVIL),
]
SAILORS = "## Sailors\n\nA **big** ship to {} [Data: Reports (3, 9)].\n\n- Bob rows [^1].\n- "
PEER = f"peer {EVIL}"
TEXTS = {"C0": f"{SAILORS}{EVIL}", "SS": "It is far to {}.", PEER: "No one sails."}


@pytest.fixture
def folder(tmp_path: Path) -> EvaluationFolder:
    folder = evaluation(tmp_path / "e", TEXTS, sources=SOURCES, dead=["[Data: Reports (9)]"])
    add_verdicts(folder, "C0", metrics=["diversity"], reason=f"Said. {EVIL}")
    add_verdicts(folder, "SS", metrics=["directness"], judge=f"person {EVIL}")
    return folder


def show(page: Page, folder: EvaluationFolder) -> int:
    """Opens the report, and returns its size in bytes."""
    content = read_evaluation(folder.path, load_settings(), title=f"Tales {EVIL}").page().encode()
    path = folder.path / "eval.html"
    path.write_bytes(content)
    page.chrome.get(path.as_uri())
    page.until("document.documentElement.dataset.ready")
    return len(content)


def choose(page: Page, **values: str) -> str:
    """Sets filters by what they show, and returns what the page then counts."""
    for name, text in values.items():
        page.chrome.execute_script(
            "const it = document.getElementById(arguments[0]);"
            "it.value = [...it.options].find((one) => one.text === arguments[1]).value;"
            "it.dispatchEvent(new Event('input', {bubbles: true}));",
            name,
            text,
        )
    return page.wait("#count")[0].text


def test_the_filters_let_through_what_they_say(page: Page, folder: EvaluationFolder) -> None:
    show(page, folder)
    assert choose(page) == "18 of 18 comparisons"
    assert choose(page, question="Who sails to port 0?") == "3 of 18 comparisons"
    assert choose(page, question="all", persona="Bob") == "9 of 18 comparisons"
    assert choose(page, condition="C0", against=PEER) == "3 of 18 comparisons"
    anything = {"persona": "all", "condition": "all", "against": "all"}
    assert choose(page, **anything, metric="diversity").startswith("18")
    assert choose(page, winner="C0 has more wins") == "12 of 18 comparisons"
    choose(page, winner="all", metric="all", judge="all")
    page.wait("#search")[0].send_keys("far to 4")
    assert page.wait("#count")[0].text == "2 of 18 comparisons"
    assert len(page.all("#list > li")) == 2
    assert page.errors == []


def test_comparisons_and_citations_open_by_keys(page: Page, folder: EvaluationFolder) -> None:
    show(page, folder)
    button = page.wait("button.open")[0]
    assert "C0: 2 wins · SS: 2 wins" in button.text
    button.send_keys(Keys.ENTER)
    one, other = page.wait(".sides article", 2)
    assert one.text.startswith("C0\nSailors\nA big ship to 0 Reports 3Reports 9.")
    assert "It is far to 0." in other.text
    assert [it.text for it in page.all(".dead")] == ["Reports 9"]
    cite, note = page.all(".sides article:first-child > :not(details) button.cite")
    cite.send_keys(Keys.ENTER)
    assert page.wait("aside b")[0].text == "tales/a.txt"
    assert page.wait("aside mark")[0].text == QUOTE
    assert cite.get_attribute("aria-expanded") == "true"
    note.send_keys(Keys.SPACE)
    assert EVIL in page.wait("aside", 2)[1].text
    cite.send_keys(Keys.ENTER)
    assert len(page.all("aside")) == 1
    rows = [it.text for it in page.all(".opened tbody tr")]
    assert len(rows) == 4
    assert sum(f"Said. {EVIL}" in row for row in rows) == 2
    assert page.errors == []


def test_hostile_text_does_nothing(page: Page, folder: EvaluationFolder) -> None:
    show(page, folder)
    assert page.wait("h1")[0].text == f"Tales {EVIL}"
    said = [it.text for it in page.wait("#found h3, #found li", 8)]
    assert [said[0], said[4]] == [f"Judged by {by}" for by in (JUDGE, f"person {EVIL}")]
    little = "in diversity; 6 questions are too few to tell."
    assert said[1:3] == [f"No difference found between C0 and {of} {little}" for of in ("SS", PEER)]
    for button in page.wait("button.open"):
        button.click()
    for details in page.all("details summary"):
        details.click()
    for cite in page.all("button.cite")[:20]:
        cite.click()
    assert page.ask("document.querySelectorAll('main img, main script, main iframe').length") == 0
    links = page.ask("[...document.links].map((one) => one.getAttribute('href'))")
    assert all(re.fullmatch(r"#[\w-]+", link) for link in links)
    assert page.errors == []


def test_a_full_evaluation_is_small(page: Page, tmp_path: Path) -> None:
    """125 questions, 15 pairs, 4 metrics, both orders: comparisons are drawn when asked for."""
    texts = dict.fromkeys(("C0", "C1", "C2", "C3", "TS", "SS"), "The answer to {} is here. " * 200)
    folder = evaluation(tmp_path / "e", texts, questions=125, sources=SOURCES)
    add_verdicts(folder, "C0", metrics=METRICS, reason="{} " * 10)
    size = show(page, folder)
    assert page.wait("#count")[0].text == "1,875 of 1,875 comparisons"
    assert size < 10_000_000
    won = "(100 %, p < .001)"
    said = (
        f"C0 answers more comprehensively {won}, with more variety {won}, more helpfully {won} and"
    )
    assert page.all("#found li")[0].text == f"{said} more directly {won} than C1, 125 questions."
    assert page.ask("document.querySelectorAll('*').length") < 5_000
