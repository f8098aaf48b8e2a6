"""Neo4j Browser and the map in a real Chromium: what a person sees and can click.

Needs Debian's packages chromium and chromium-driver, or the like; without them it is skipped.
"""

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from selenium.webdriver import Keys

from graphrag_neo4j import AsyncGraphRAG, Document, embedded
from graphrag_neo4j.extras.explore import Map, read_map
from graphrag_neo4j.settings import Settings, load_settings
from tests.support.chromium import Page, needs_chromium, put
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.paths import DATA
from tests.support.servers import TestServer, release_under_test
from tests.support.wiping import wipe

BOOK = DATA / "christmas_carol" / "book.txt"
BLUE = "#3B6FB6"  # a community in style.grass
EVIL = "</script><img src=x onerror=alert(1)>"

pytestmark = [pytest.mark.slow, pytest.mark.graph, needs_chromium]


@dataclass(frozen=True, slots=True)
class Home:
    """A running embedded server with the book in it, and its map."""

    settings: Settings
    server: embedded.Server
    map: Map


@pytest.fixture(scope="module")
async def home(
    server_home: Path, checked_server: TestServer, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Home]:
    """The embedded server of the test run, or one of its own where the run uses another kind."""
    ours = checked_server.kind == "embedded"
    with FakeEndpoint() as endpoint:
        settings = load_settings(
            home=server_home if ours else tmp_path_factory.mktemp("browser") / "home",
            neo4j_release=release_under_test(),
            openai_base_url=endpoint.url,
            openai_api_key="sk-for-tests-only",
            gleanings=0,
            claims=True,
            max_cluster_size=6,
        )
        async with AsyncGraphRAG(settings) as rag:
            await wipe(rag.graph)
            pages = Document(BOOK.read_text("utf-8")[:60_000], "carol", "A Christmas Carol")
            assert (await rag.index([pages])).complete
            found = await read_map(rag.graph)
        server = embedded.running(settings)
        assert server
        yield Home(settings, server, found)
        async with AsyncGraphRAG(settings) as rag:
            await wipe(rag.graph)
        if not ours:
            embedded.stop(settings)


@contextmanager
def browsing(home: Home, *options: str) -> Iterator[str]:
    """Runs `kg-build browse`; gives what it has printed when it is ready."""
    command = [sys.executable, "-m", "graphrag_neo4j.cli", "--home", str(home.settings.home)]
    with subprocess.Popen(  # noqa: S603 - our own Python
        [*command, "browse", "--no-open", *options],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "KG_NEO4J_RELEASE": home.settings.neo4j_release},
    ) as process:
        assert process.stdout
        lines = []
        for line in process.stdout:
            lines.append(line)
            if line.startswith("Press Ctrl-C"):
                break
        try:
            yield "".join(lines)
        finally:
            process.terminate()


def connect(page: Page, server: embedded.Server) -> None:
    page.chrome.get(server.browser_url)
    page.wait('[data-testid="password"]')[0].send_keys(server.password)
    [name] = page.all('[data-testid="username"]')
    assert name.get_attribute("value") == server.username
    page.wait('[data-testid="connect"]')[0].click()


def test_browser_opens_the_guide_and_draws_its_queries_in_our_style(home: Home, page: Page) -> None:
    with browsing(home) as printed:
        assert f"{home.server.http_url}/browser/" in printed
        assert home.server.password not in printed
        connect(page, home.server)
        page.wait("pre.runnable")
        page.until("document.body.innerText.includes('Draws the largest communities of level 0')")
        page.all("pre.runnable")[0].click()
        page.until(
            "document.querySelector('[data-testid=activeEditor]').innerText.includes('MATCH')"
        )
        page.wait('[data-testid="editor-Run"]')[0].click()
        page.wait("[data-testid=frame] svg g.node", 5)
    nodes = page.all("[data-testid=frame] svg g.node circle.b-outline")
    assert {BLUE} < {node.get_attribute("fill") for node in nodes}
    captions = " ".join(text.text for text in page.all("[data-testid=frame] svg g.node text"))
    assert any(str(row[4]).split()[0] in captions for row in home.map.communities if row[2] == 0)


PICTURE = "document.getElementById('canvas').toDataURL()"


@pytest.mark.one_release
def test_an_entity_of_the_map_is_found_by_keyboard(home: Home, page: Page, tmp_path: Path) -> None:
    put(page, home.map, tmp_path / "map.html")
    [field] = page.wait("#search")
    field.send_keys("scrooge")
    assert page.wait("#found li")[0].text.startswith("EBENEZER SCROOGE")
    field.send_keys(Keys.ARROW_DOWN, Keys.ARROW_UP, Keys.ENTER)
    page.until("document.querySelector('#panel h2').innerText === 'EBENEZER SCROOGE'")
    before = page.ask(PICTURE)
    page.wait("#graph")[0].send_keys(Keys.ENTER)
    page.until("document.getElementById('graph').ariaPressed === 'true'")
    assert page.ask(PICTURE) != before
    assert page.errors == []
