"""The page of `kg-build serve` in a real Chromium: ask, follow citations, explore, upload."""

import json
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Self
from urllib.parse import quote, urlsplit

import anyio
import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from graphrag_neo4j import AsyncGraphRAG, Document
from tests.support.carol import Indexed, indexed_carol
from tests.support.chromium import Page, needs_chromium
from tests.support.servers import TestServer
from tests.support.serving import TOKEN, Served, served

pytestmark = [pytest.mark.slow, pytest.mark.one_release, needs_chromium]

QUESTION = "What does Scrooge think of Marley?"
EVIL = "<img src=x onerror=alert(1)>"
HOSTILE = f"Eve Mallory met {EVIL} in Paris. [Eve Mallory](javascript:alert(1)) wrote **{EVIL}**."


@pytest.fixture(scope="module")
async def carol(checked_server: TestServer) -> AsyncIterator[Indexed]:
    async with indexed_carol(checked_server) as indexed:
        async with AsyncGraphRAG(indexed.settings) as rag:
            await rag.index([Document(HOSTILE, "100% evil", EVIL)])
        yield indexed


@pytest.fixture(scope="module")
def running(carol: Indexed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("serve")
    with served(folder, {**carol.environment, "KG_HOME": str(folder / "home")}, "--write") as one:
        yield one


@pytest.fixture
def opened(page: Page, running: Served) -> Iterator[Page]:
    page.chrome.get(f"{running.url}/#token={TOKEN}")
    page.until("document.documentElement.dataset.ready")
    page.wait(".proposed")
    yield page
    page.chrome.execute_script("sessionStorage.clear(); localStorage.removeItem('conversations /')")
    assert page.errors == []


def ask(page: Page, question: str, turns: int = 1) -> None:
    page.until("!document.getElementById('send').disabled")
    page.wait("#question")[0].send_keys(question, Keys.ENTER)
    page.until(f"document.querySelectorAll('.turn .copy').length === {turns}")


def choose(page: Page, method: str) -> None:
    script = "const m = document.getElementById('method'); m.value = arguments[0]; m.onchange()"
    page.chrome.execute_script(script, method)


def test_an_answer_leads_to_its_passage_and_lights_up_what_it_rests_on(opened: Page) -> None:
    page = opened
    assert page.ask("document.activeElement.id") == "question"
    assert "token" not in page.chrome.current_url
    choose(page, "local")
    ask(page, QUESTION)
    chip = page.wait(".answer a.cite")[0]
    assert "[Data" not in page.wait(".answer")[0].text
    page.wait(".turn .proposed")  # which come last, and move the page
    ActionChains(page.chrome).move_to_element(chip).perform()
    tip = page.wait("#quote")[0].text
    assert ", line " in tip
    assert page.ask("atlas.picture.lit.size") > 1
    source = page.ask(
        "[...document.querySelectorAll('a.cite')].find(a => a.hash.startsWith('#source'))?.hash"
    )
    page.chrome.execute_script("location.hash = arguments[0]", source)
    [mark] = page.wait("#panel mark")
    assert mark.text.strip() in tip.replace("\n", " ") or mark.text
    box = "document.querySelector('#panel .document')"
    page.until(f"{box}.scrollTop <= document.querySelector('#panel mark').offsetTop")
    page.wait("#panel .cited a")[0].click()
    page.until("location.hash.startsWith('#entity-')")
    page.chrome.back()
    page.wait("#panel mark")

    ask(page, "And what of the Ghost?", 2)
    page.wait(".turn .proposed")
    page.chrome.refresh()
    page.until("document.querySelectorAll('.turn .copy').length === 2")
    page.wait("#panel mark")
    assert page.all(".turn .proposed")
    page.wait("#new")[0].click()
    page.wait(".proposed", 3)
    page.wait(".turn p a[href='#ask']")[0].click()
    page.wait("#panel .list .link")[0].click()
    assert len(page.wait(".turn .copy", 2)) == 2
    page.wait("#panel button[aria-label^='Delete']")[0].click()
    assert page.wait("#panel [role=status]")[0].text == "There are none yet."


def test_a_document_opens_with_what_the_answer_cites_marked(opened: Page, carol: Indexed) -> None:
    page = opened
    choose(page, "local")
    ask(page, QUESTION)
    cited = page.ask(
        "conversation.turns[0].answer.citations.flatMap((one) => one.sources)"
        ".map((one) => one.quote ?? [one.start, one.end])"
    )
    page.wait(".from a")[0].click()
    page.until("document.querySelector('#panel h2')?.textContent === 'carol'")
    assert page.ask("document.activeElement.tagName") == "H2"
    assert page.ask("document.querySelector('.doors a[aria-current]').textContent") == "Documents"
    shown = page.ask("document.querySelector('.reading').textContent")
    assert "".join(shown.split()) == "".join(carol.text.split())
    marked = [one.text.strip() for one in page.wait(".reading mark")]
    assert any(carol.text[start:end].strip() in marked for start, end in cited)
    page.wait(".steps button")[1].click()
    page.until("document.activeElement.localName === 'mark'")
    page.chrome.back()
    page.wait(".copy")

    page.wait(".turn .facts .link")[0].click()
    assert page.ask("document.getElementById('question').value") == QUESTION
    assert page.ask("document.getElementById('method').value") == "local"


def test_headings_lists_and_tables_of_a_document_are_shown_as_such(opened: Page) -> None:
    text = "Top\n\n- one\n  - two 🙂\n- three\n\na | b\n1 | 2\n\n<b>end</b>"
    part = {"text": text, "text_start": 5, "title": "", "keeps_lines": False}
    part["parts"] = [{"start": 5, "label": "Part 1 › Top"}]
    start = 5 + text.index("three")
    html = opened.ask(
        f"(() => {{ const made = new Blocks({json.dumps(part)}, [[{start}, {start + 5}]]).make();"
        "return made.map((one) => one.outerHTML).join('') })()"
    )
    assert html == (
        "<h4>Top</h4><ul><li>one<ul><li>two 🙂</li></ul></li>"
        '<li><mark tabindex="-1" class="place-0">three</mark></li></ul>'
        "<table><tbody><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></tbody></table>"
        "<p>&lt;b&gt;end&lt;/b&gt;</p>"
    )


def test_an_entity_leads_to_its_names(opened: Page) -> None:
    page = opened
    page.wait("#search")[0].send_keys("marley")
    page.wait("#found li")[0].click()
    page.wait("#panel a[href^='#names-']")[0].click()
    page.until("document.querySelector('#panel h2')?.textContent.startsWith('Names of ')")
    assert page.ask("document.querySelector('.doors a[aria-current]').textContent") == "Map"
    assert page.wait("#other")
    page.wait("#panel a[href^='#entity-']")[0].click()
    page.wait("#panel a[href^='#names-']")


def test_documents_are_found_by_a_part_of_their_name_or_title(opened: Page) -> None:
    page = opened
    page.chrome.execute_script("location.hash = '#documents'")
    page.wait(".documents li", 2)
    page.wait("#find")[0].send_keys("CAR")
    page.until("document.querySelectorAll('.documents li').length === 1")
    page.wait("#find")[0].send_keys("xyz")
    page.until("document.querySelectorAll('.documents li').length === 0")
    assert "No name or title has this." in page.wait("#panel")[0].text


def test_the_mark_of_a_citation_shows_a_false_quotation(opened: Page) -> None:
    page = opened
    page.chrome.execute_script(
        "const misquoted = ['So war\\n es <b>.'];"
        "const cited = { title: 'A', supported: true, sources: [], misquoted };"
        "chip(1, 'Sources', 3, cited, '').onmouseenter();"
    )
    said = page.wait("#quote .flaw")[0].text
    assert said == "The quotation “So war es <b>.” is not there word for word."


def test_what_is_stopped_stays_and_can_be_asked_again(opened: Page, carol: Indexed) -> None:
    page = opened
    choose(page, "local")
    carol.endpoint.change(pace=60.0)  # after the first words
    page.wait("#question")[0].send_keys(QUESTION, Keys.ENTER)
    page.until("document.querySelector('.answer p')?.textContent.trim()")
    page.wait("#stop")[0].click()
    said = page.wait(".answer")[0].text
    carol.endpoint.change(pace=0)
    assert page.wait(".flaw")[0].text == "Stopped. Ask again"
    page.chrome.refresh()
    assert page.wait(".answer")[0].text == said
    page.wait(".flaw .link")[0].click()
    page.wait("#send")[0].click()
    page.wait(".answer a.cite")
    assert len(page.all(".flaw")) == 1


def test_methods_levels_conditions_and_refusals(opened: Page) -> None:
    page = opened
    choose(page, "global")
    page.chrome.execute_script("document.getElementById('level').value = '0'")
    ask(page, QUESTION)
    assert page.wait(".facts")[0].text.startswith("global search")
    choose(page, "local")
    page.wait("#where")[0].send_keys("sourc=carol")
    page.wait("#question")[0].send_keys("Who is it?", Keys.ENTER)
    assert "Did you mean source? The fields are source, title" in page.wait(".flaw")[0].text
    assert page.ask("document.getElementById('fields').options.length") > 1
    page.chrome.get_log("browser")  # type: ignore[no-untyped-call] # the status of the refusal


def test_nothing_that_documents_say_becomes_markup(opened: Page) -> None:
    page = opened
    ask(page, "Whom did Eve Mallory meet in Paris?")
    page.chrome.execute_script("location.hash = '#documents'")
    page.until("document.querySelector('#panel h2').textContent === 'Documents'")
    assert EVIL in page.wait("#panel")[0].text
    page.wait("#search")[0].send_keys("img src")
    page.wait("#found li")[0].click()
    page.wait("#panel mark")
    made = "img, a[href^=javascript], #talk a:not(.cite, .from a)"
    assert page.ask(f"document.querySelectorAll('{made}').length") == 0


def test_a_file_is_uploaded_asked_about_and_deleted(
    opened: Page, carol: Indexed, tmp_path: Path
) -> None:
    page = opened
    status = "document.querySelector('#panel [role=status]')?.textContent"
    file = tmp_path / "ada.txt"
    file.write_text("Ada Lovelace met Charles Babbage in London in 1833. " * 9)
    page.chrome.execute_script("location.hash = '#documents'")
    page.wait("#files")
    carol.endpoint.change(latency=4.0)
    page.chrome.find_element(By.ID, "files").send_keys(str(file))
    page.until(f"{status}.startsWith('Reading')")
    page.chrome.execute_script("location.hash = ''")
    page.until(f"{status} === undefined")
    page.chrome.execute_script("location.hash = '#documents'")
    page.until(f"{status}?.startsWith('Reading')")
    carol.endpoint.change(latency=0)
    page.until(f"{status}?.startsWith('Everything')")
    titles = "[...document.querySelectorAll('#panel .list li span')].map(one => one.textContent)"
    page.until(f"{titles}.includes('ada.txt')")
    ask(page, "Whom did Ada Lovelace meet in London?")
    assert "Babbage" in page.wait(".answer")[0].text
    page.wait("#search")[0].send_keys("Charles Babb")
    page.wait("#found li")[0].click()
    page.until(
        "document.querySelector('#panel h2').textContent.toLowerCase() === 'charles babbage'"
    )
    assert page.ask("document.querySelector('#panel a[href^=\"#source-\"]').textContent") == (
        "ada.txt, line 1"
    )
    entity = page.ask("location.hash")
    page.chrome.execute_script("location.hash = '#documents'")
    page.wait("#panel button[aria-label='Delete ada.txt']")[0].click()
    page.chrome.switch_to.alert.accept()
    page.until(f"{status}?.startsWith('Everything')")
    page.until(f"!{titles}.includes('ada.txt')")
    page.chrome.execute_script("location.hash = arguments[0]", entity)
    page.until("document.querySelector('#panel h2').textContent.startsWith('This is not in the')")
    page.wait("#search")[0].send_keys("Charles Babb")
    assert page.wait("#found li")[0].text == "Nothing has this name."


async def test_what_waits_is_told_until_it_is_read(
    opened: Page, carol: Indexed, tmp_path: Path
) -> None:
    page = opened
    status = "document.querySelector('#panel [role=status]').textContent"
    another = {"command": "kg-build index", "host": "elsewhere", "process": 1, "born": 0.0}
    await carol.graph.write("build/start", build="another", properties=another)
    for name in ("bob.txt", "bob.exe", "eve.txt"):
        (tmp_path / name).write_text("Bob met Eve in Paris.")
    page.chrome.execute_script("location.hash = '#documents'")
    files = page.wait("#files")[0]
    files.send_keys(f"{tmp_path / 'bob.txt'}\n{tmp_path / 'bob.exe'}")
    page.until(f"/^bob.exe can't be read.*Another run writes/.test({status})")
    files.send_keys(str(tmp_path / "eve.txt"))  # one more, while it waits
    while not list(tmp_path.parent.glob("serve*/home-uploads*/eve.txt")):  # noqa: ASYNC110 - no event
        await anyio.sleep(0.1)
    await carol.graph.write("build/finish", build="another", usage={}, outcome="done")
    titles = "[...document.querySelectorAll('#panel .list li span')].map(one => one.textContent)"
    page.until(f"['bob.txt', 'eve.txt'].every((one) => {titles}.includes(one))")
    page.until(f'{status}.startsWith("bob.exe can\'t be read")')
    [refused] = page.errors
    assert "bob.exe - Failed to load resource" in refused["message"]


def test_it_fits_a_telephone(page: Page, running: Served) -> None:
    page.resize(360, 700, touch=True)
    page.chrome.get(f"{running.url}/#token={TOKEN}")
    page.until("document.documentElement.dataset.ready")
    assert page.ask("document.documentElement.scrollWidth <= 360")
    ask(page, QUESTION)
    assert page.ask("document.documentElement.scrollWidth <= 360")
    chip = page.wait(".answer a.cite")[0]
    for by_link in (False, True):
        page.chrome.execute_script("arguments[0].click()", chip)
        page.until("location.hash && document.activeElement.tagName === 'H2'")
        if by_link:
            page.wait(".back .link")[0].click()
        else:
            page.chrome.back()
        page.until("document.activeElement.matches('a.cite')")


MISSING = "The token is missing or wrong: open the address that kg-build serve printed."


def token(page: Page) -> str | None:
    found: str | None = page.ask("sessionStorage.token ?? localStorage.token")
    return found


def test_the_token_is_taken_from_the_address_kept_for_this_origin_and_sent_to_no_other(
    page: Page, running: Served
) -> None:
    port = urlsplit(running.url).port
    with Recorder() as other:
        page.chrome.get(f"http://127.0.0.1:{other.port}/before")
        page.chrome.get(f"{running.url}/#token={quote(TOKEN, safe='')}&documents")
        page.until("document.querySelector('#panel h2')?.textContent === 'Documents'")
        assert page.chrome.current_url == f"{running.url}/#documents"
        page.chrome.refresh()  # and without it in the address
        page.until("document.querySelector('#panel h2')?.textContent === 'Documents'")
        chunk = page.ask("[...atlas.world.chunks.keys()][0]")
        page.chrome.get(f"{running.url}/source/{chunk}-0-8")  # as from a footnote of a chat client
        page.wait("#panel mark")
        page.chrome.get(f"http://127.0.0.1:{other.port}/after")
        page.wait("p")
        assert [seen for seen in other.seen if TOKEN in seen or "cookie" in seen.lower()] == []
    page.chrome.get(f"http://localhost:{port}/")  # another origin
    assert MISSING in page.wait("#panel p")[0].text
    assert page.chrome.get_cookies() == []


def test_a_wrong_token_is_forgotten_and_the_right_one_works_in_the_same_tab(
    page: Page, running: Served
) -> None:
    page.chrome.get(f"{running.url}/")
    page.chrome.execute_script("localStorage.clear()")
    for wrong in ("", "#token=wrong", "#token=", "#token=%", "#token=ü", "#token=a%0Ab&documents"):
        page.chrome.get("about:blank")
        page.chrome.get(f"{running.url}/{wrong}")
        page.until(f"document.getElementById('panel').textContent.includes('{MISSING}')")
        page.until(f"document.getElementById('talk').textContent.includes('{MISSING}')")
        assert token(page) is None
        assert "token" not in page.chrome.current_url
    page.chrome.execute_script("location.hash = arguments[0]", f"#token={TOKEN}")
    page.until("document.documentElement.dataset.ready")
    page.wait(".proposed")
    page.chrome.execute_script("location.hash = '#token=of-a-stranger'")
    page.until(f"document.getElementById('panel').textContent.includes('{MISSING}')")
    page.chrome.refresh()
    page.until("document.documentElement.dataset.ready")
    assert token(page) == TOKEN


def test_no_word_of_an_address_is_taken_for_a_view(opened: Page) -> None:
    page = opened
    title = "document.querySelector('#panel h2').textContent"
    for word in ("constructor", "constructor-1", "__proto__", "hasOwnProperty", "valueOf"):
        page.chrome.execute_script("location.hash = '#documents'")
        page.until(f"{title} === 'Documents'")
        page.chrome.execute_script("location.hash = arguments[0]", f"#{word}")
        page.until(f"{title} === 'All communities'")


class Recorder:
    """Another server on this machine, which keeps all that it is sent."""

    def __enter__(self) -> Self:
        self.seen: list[str] = []
        seen = self.seen

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                seen.append(f"{self.path}\n{self.headers}")
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<p>Seen</p>")

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
                """Is silent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_port
        self._thread = Thread(target=self._server.serve_forever)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
