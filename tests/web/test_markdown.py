"""Markdown and citations as the pages show them, in a real Chromium."""

import json
from pathlib import Path
from typing import Any

import pytest

from graphrag_neo4j.web.page import content_policy, shared_parts
from tests.support.chromium import Page, needs_chromium

pytestmark = [pytest.mark.slow, pytest.mark.one_release, needs_chromium]

# A mark says what its citation names, and the words that it is for.
SCRIPT = """
const told = [];
const mark = (text, said) => {
  told.push(said.trim());
  return [make("cite", {}, citations(text).join(" ") || text)];
};
const place = document.querySelector("main");
const shown = (text, options) => {
  place.replaceChildren(new Markdown(mark, options).blocks(text));
  return place.innerHTML;
};
const grown = (text, step) => {
  place.replaceChildren();
  const draw = new Markdown(mark).growing(place);
  for (let n = step; n < text.length + step; n += step) draw(text.slice(0, n));
  return place.innerHTML;
};
"""
CITE = "<cite>{}</cite>"
REPORTS = "[Data: Reports (1, 2); Sources (3)]"
CITED = CITE.format("Reports,1 Reports,2 Sources,3")
SECONDS = 10  # at most for an adversarial text; in quadratic time most take minutes


@pytest.fixture
def drawing(page: Page, tmp_path: Path) -> Page:
    """An empty page with the shared script and its policy."""
    _, script = shared_parts()
    script = f"{script}\n{SCRIPT}"
    policy = content_policy("", script)
    path = tmp_path / "page.html"
    path.write_text(
        f'<!DOCTYPE html><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<main></main><script>{script}</script>",
        encoding="utf-8",
    )
    page.chrome.get(path.as_uri())
    return page


def shown(page: Page, text: str, **options: object) -> str:
    """The HTML that a text becomes."""
    html: str = page.ask(f"shown({json.dumps(text)}, {json.dumps(options)})")
    assert page.errors == []
    return html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("# A\n\n### B\nsaid\nso", "<h3>A</h3><h4>B</h4><p>said\nso</p>"),
        ("*a* **b *c*** `d*`", "<p><em>a</em> <strong>b <em>c</em></strong> <code>d*</code></p>"),
        ("> a\n> b\n\n---", "<blockquote><p>a<br>b</p></blockquote><hr>"),
        ("```py\na  <b>\n```", "<pre><code>a  &lt;b&gt;\n</code></pre>"),
        ("- a\n  b\n  - c\n- d", "<ul><li>a<br>b<ul><li>c</li></ul></li><li>d</li></ul>"),
        ("3. a\n   1. b\n4. c", '<ol start="3"><li>a<ol><li>b</li></ol></li><li>c</li></ol>'),
        ("• a\n• b", "<ul><li>a</li><li>b</li></ul>"),
        ("a  \nb", "<p>a<br>b</p>"),
        ("    not code", "<p>not code</p>"),
        ("[a]: b", "<p>[a]: b</p>"),
        ("彼は**「守銭奴」**だ。", "<p>彼は<strong>「守銭奴」</strong>だ。</p>"),
        ("2 * 3 * 4 and snake_case_name", "<p>2 * 3 * 4 and snake_case_name</p>"),
    ],
)
def test_markdown_becomes_elements(drawing: Page, text: str, html: str) -> None:
    assert shown(drawing, text) == html


def test_a_table_has_a_head_and_cells(drawing: Page) -> None:
    html = shown(drawing, f"| a | b |\n|---|:-:|\n| **1** | 2 {REPORTS} |")
    head, body = html.split("<tbody>")
    assert head.endswith("<tr><th>a</th><th>b</th></tr></thead>")
    assert body.startswith(f"<tr><td><strong>1</strong></td><td>2{CITED}</td></tr>")


def test_html_is_shown_as_text(drawing: Page) -> None:
    evil = "<img src=x onerror=alert(1)> <b>**bold**</b>\n\n<script>alert(1)</script>\n\n<!-- a -->"
    shown(drawing, evil)
    found = drawing.ask("place.innerText")
    assert found.split() == evil.replace("**", "").split()
    names = drawing.ask("[...place.querySelectorAll('*')].map((one) => one.localName)")
    assert {*names} == {"p", "strong"}


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:x",
        "data:text/html,x",
        "file:///etc",
        "vbscript:x",
        "//a.b",
    ],
)
def test_only_web_and_mail_addresses_are_links(drawing: Page, address: str) -> None:
    for one in (f"[x]({address})", f"[x](<{address}>)", f'[x]({address} "y")'):
        assert "<a " not in shown(drawing, one)
        assert drawing.ask("place.innerText") == "x"
    assert "<a " not in shown(drawing, f"<{address}> {address}")


def test_links_open_elsewhere_and_tell_nothing(drawing: Page) -> None:
    for address in ("https://a.example/b", "mailto:ann@a.example"):
        html = shown(drawing, f"[x]({address})")
        assert html.startswith(f'<p><a href="{address}" rel="noopener noreferrer" target="_blank">')


def test_an_image_is_its_description_and_asks_for_nothing(drawing: Page) -> None:
    text = "![a *big* ship](https://a.example/x.png) ![b](x.png) ![c](javascript:x)"
    assert shown(drawing, text) == "<p>a <em>big</em> ship b c</p>"
    assert drawing.ask("performance.getEntriesByType('resource').length") == 0


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (f"Said {REPORTS}.", f"<p>Said{CITED}.</p>"),
        (
            f"- a {REPORTS}\n  - b {REPORTS}",
            f"<ul><li>a{CITED}<ul><li>b{CITED}</li></ul></li></ul>",
        ),
        (f"**Said {REPORTS}** so", f"<p><strong>Said{CITED}</strong> so</p>"),
        (f"*Said {REPORTS}*", f"<p><em>Said{CITED}</em></p>"),
        (f"**言う {REPORTS}**続き", f"<p><strong>言う{CITED}</strong>続き</p>"),
        (f"{REPORTS}(https://a.example)", f"<p>{CITED}(https://a.example)</p>"),
        (f"{REPORTS}: a", f"<p>{CITED}: a</p>"),
        (f"`{REPORTS}`", f"<p><code>{REPORTS}</code></p>"),
        ("[data: Reports\n(1)]", f"<p>{CITE.format('Reports,1')}</p>"),
        ("Said [Data: Rep", "<p>Said [Data: Rep</p>"),
    ],
)
def test_citations_stand_where_they_were_written(drawing: Page, text: str, html: str) -> None:
    assert shown(drawing, text) == html


def test_citations_of_other_forms_are_marked(drawing: Page) -> None:
    text = f"Ann [1](x), Bob (Tale, 3) and [10]. *Eve (Tale, 3)* {REPORTS}"
    html = shown(drawing, text, others=["[1]", "[10]", "(Tale, 3)"])
    one, ten, tale = map(CITE.format, ("[1]", "[10]", "(Tale, 3)"))
    said = f"<p>Ann{one}(x), Bob{tale} and{ten}. <em>Eve{tale}</em>{CITED}</p>"
    assert html == said


def test_a_citation_is_for_the_words_since_the_one_before(drawing: Page) -> None:
    cite = "[Data: Sources (1)]"
    shown(drawing, f"**Ann** sails {cite}{cite}.\n\n- Bob `rows` {cite}")
    assert drawing.ask("told") == ["Ann sails", "Ann sails", ".\nBob rows"]


GROWING = f"""# Heading\rof this

a\r\n
Text of **two
lines** {REPORTS}

- a
--
---x

1. one
* *two*
  > three
#four

| a | b |
|---|---|
| 1 | 2 |
text
```
code
- no item
```
- a

  b

 c \r\n\r\nd\re"""


@pytest.mark.parametrize("step", [1, 2, 3, 7])
def test_a_growing_text_is_shown_as_a_whole_one(drawing: Page, step: int) -> None:
    drawing.chrome.execute_script("window.text = arguments[0]", GROWING)
    whole = drawing.ask("shown(window.text)")
    assert drawing.ask(f"grown(window.text, {step})") == whole


def test_only_the_last_block_of_a_growing_text_is_drawn_anew(drawing: Page) -> None:
    drawing.chrome.execute_script(
        "window.draw = new Markdown(mark).growing(place);"
        "draw('a\\n\\n- b\\n\\nc'); window.first = [...place.childNodes];"
        "draw('a\\n\\n- b\\n\\nc d\\n\\n');"
    )
    kept = drawing.ask("[...place.childNodes].map((one, n) => one === first[n])")
    assert kept == [True, False, False]
    assert drawing.ask("place.textContent.trim()") == "abc d"


# Texts of 50,000 characters, as [what is repeated, what follows as often].
ADVERSARIAL = {
    "stars": ["*"],
    "brackets": ["["],
    "words with stars": ["*a **b"],
    "nested emphasis": ["*_", "a_*"],
    "nested bold": ["**a ", " b**"],
    "underlines": ["_a "],
    "links": ["[a]("],
    "nested links": ["[", "](b)"],
    "images": ["![", "](b)"],
    "titles": ['[a](b "'],
    "quotes": [">"],
    "nested lists": ["- "],
    "nested numbers": ["1) "],
    "lists in quotes": ["> - "],
    "ticks": ["`a "],
    "citations": ["[Data: "],
    "spaces": [" "],
    "a bracket and spaces": ["[", " "],
    "pipes": ["|"],
    "tags": ["<a "],
    "entities": ["&#"],
    "backslashes": ["\\"],
    "lines": ["\n"],
    "items": ["- a\n"],
}


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_no_text_keeps_the_page_busy(drawing: Page, name: str) -> None:
    parts = json.dumps(ADVERSARIAL[name])
    drawing.chrome.execute_script(
        f"const parts = {parts}, n = 50000 / parts.join('').length;"
        "window.text = parts.map((one) => one.repeat(n)).join('a');"
    )
    for drawn in ("shown(window.text)", "grown(window.text, 10000)"):
        took: Any = drawing.chrome.execute_script(
            f"const began = performance.now(); {drawn}; place.offsetHeight;"
            "return performance.now() - began;"
        )
        assert took < SECONDS * 1000
    assert drawing.errors == []
