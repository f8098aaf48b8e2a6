"""The map's page in a real Chromium: names that stand clear of one another, touch, hostile text."""

from itertools import combinations, count
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Keys

from graphrag_neo4j.extras.explore import Map
from tests.support.chromium import Page, needs_chromium, put

pytestmark = [pytest.mark.slow, needs_chromium]

OVERRIDE = "\u202e"  # what follows it runs from right to left
EVIL = f"{OVERRIDE}</script><img src=x onerror=alert(1)>"
STILL = {"prefers_reduced_motion": "reduce"}

# Keeps the dots that are drawn, as [x, y, radius], for the script below.
KEPT = """
const { show } = Labels.prototype;
Labels.prototype.show = function (names, drawn, ...size) {
  window.dots = drawn.dots;
  show.call(this, names, drawn, ...size);
};
"""
# The names that are seen: their texts and boxes, and whether one leaves its box or covers no dot.
NAMES = """
(() => {
  const box = document.getElementById("picture").getBoundingClientRect();
  const away = (at, from, to) => at - Math.max(from, Math.min(at, to));
  return [...document.querySelectorAll("#labels span")].map((it) => {
    const { left, top, right, bottom } = it.getBoundingClientRect();
    const cut = it.scrollWidth > it.clientWidth || it.scrollHeight > it.clientHeight;
    const inside = left >= box.left && top >= box.top && right <= box.right && bottom <= box.bottom;
    const free = (window.dots ?? []).every(([x, y, r]) =>
      Math.hypot(away(x + box.left, left, right), away(y + box.top, top, bottom)) > r - 1);
    return { text: it.innerText.replace(/\\n/g, " "), left, top, right, bottom, cut, inside, free };
  });
})()
"""
MIDDLE = """
(() => {
  const { left, top, width, height } = document.getElementById("picture").getBoundingClientRect();
  return [left + width / 2, top + height / 2, width, height];
})()
"""


def corpus() -> Map:
    """Three levels: 24 communities with four parts each, the entities in the parts."""
    communities: list[list[object]] = []
    entities: list[list[object]] = []
    refs = count(1)
    for n in range(24):
        top = next(refs)
        title = f"Whole {n}: A Gathering of Merchants and Their Neighbours in the City"
        communities.append([top, None, 0, 4 * (30 - n), title, "", 5.0, "", "model", []])
        for part in range(4):
            ref = next(refs)
            name = f"Part {n}.{part} of the Merchants, With a Name as Long as Reports Give It"
            communities.append([ref, top, 1, 30 - n, name, "", 5.0, "", "model", []])
            for _ in range(30 - n):
                number = len(entities) + 1
                name = f"Merchant Number {number}"
                entities.append([number, name, None, "person", None, "", 9, ref, [1]])
    pairs: list[list[object]] = [
        [n, n, n % len(entities) + 1, 1, None, "", []] for n in range(1, len(entities) + 1)
    ]
    return Map([["A", "a"]], [[1, 0, 0, "A.", None, [], []]], entities, pairs, [], communities)


def small(
    name: str = "ANN", title: str = "The tale", chunks: int = 1, predicate: str | None = None
) -> Map:
    """One community of two entities, whose report cites one thing of each kind."""
    cited = "[Data: Entities (1); Relationships (7); Claims (3); Reports (5); Sources (9)]"
    cited += " [Data: Entities (77)]"
    community: list[object] = [5, None, 0, 2, title, f"Said. {cited}", 5.0, "", "model", []]
    bob = [2, "BOB", ["Robert", "Rob"], "person", ["born: 1815"], "", 1, 5, [9]]
    entities = [[1, name, None, "person", [f"called: {name}"], "", 1, 5, [9, 9]], bob]
    texts: list[list[object]] = [
        [9 + n, 0, 20 * n, f"Ann met Bob {n} times.", None, [], []] for n in range(chunks)
    ]
    claim = [3, f"{name} owes Bob.", "TRUE", None, None, 9, 0, 9, [1]]
    pair = [7, 1, 2, 1.0, predicate, f"{name} met Bob.", [9]]
    return Map([[title, "file:///tales/a.txt"]], texts, entities, [pair], [claim], [community])


def check(page: Page) -> list[str]:
    """The names that are seen; fails where one meets another or a dot, or leaves its box."""
    names: list[dict[str, Any]] = page.ask(NAMES)
    for one in names:
        assert (one["inside"], one["free"], one["cut"]) == (True, True, False), one
    for one, other in combinations(names, 2):
        beside = one["right"] <= other["left"] or other["right"] <= one["left"]
        assert beside or one["bottom"] <= other["top"] or other["bottom"] <= one["top"], (
            one,
            other,
        )
    return [str(one["text"]) for one in names]


def open_community(page: Page, ref: int) -> None:
    page.chrome.execute_script(f"location.hash = '#community-{ref}'")
    page.until(f"document.querySelector('#panel .facts').innerText.startsWith('Community {ref} ')")


def zoom(page: Page) -> int:
    return int(page.wait("#zoom")[0].text.split()[0])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 800, 1600])
@pytest.mark.parametrize("view", ["circles", "graph"])
def test_names_stand_clear(page: Page, tmp_path: Path, view: str, width: int, scheme: str) -> None:
    page.prefer(prefers_color_scheme=scheme, **STILL)
    page.resize(width)
    put(page, corpus(), tmp_path / "map.html")
    page.chrome.execute_script(f"{KEPT} document.getElementById('{view}').click()")
    first = check(page)
    assert len(first) > 5
    if view == "circles":
        assert first[0].startswith("Whole 0:")
        assert any(name.startswith("Whole 1:") for name in first)
    for button, times in (("closer", 8), ("farther", 12)):
        for _ in range(times):
            page.chrome.execute_script(f"document.getElementById('{button}').click()")
            check(page)
    open_community(page, 1)
    page.chrome.execute_script("document.getElementById('circles').click()")
    assert {name[:8] for name in check(page)} >= {f"Part 0.{n}" for n in range(4)}
    page.chrome.execute_script(f"document.getElementById('{view}').click()")
    for _ in range(4):
        page.chrome.execute_script("document.getElementById('closer').click()")
        check(page)


def test_names_of_any_script_and_length_stay_in_their_boxes(page: Page, tmp_path: Path) -> None:
    page.prefer(**STILL)
    page.resize(400)
    japanese = "守財奴と三人の幽霊についての長い物語" * 3
    for name in (japanese, "W" * 300, "🎄" * 80, "שלום עולם " * 9, "."):
        put(page, small(name=name, title=name), tmp_path / "map.html")
        check(page)
        for view in ("graph", "circles"):
            page.chrome.execute_script(f"document.getElementById('{view}').click()")
            check(page)
    assert page.errors == []


@pytest.mark.parametrize(("chunks", "source"), [(1, "The tale"), (2, "The tale, part 1")])
def test_a_citation_is_shown_by_name(page: Page, tmp_path: Path, chunks: int, source: str) -> None:
    put(page, small(chunks=chunks), tmp_path / "map.html")
    open_community(page, 5)
    [mark] = page.all("#panel .prose .cite")  # one for all that a sentence cites
    [claim] = page.all("#panel .timeline li")
    assert claim.get_property("textContent") == "no dateANN owes Bob. quotation"
    assert mark.get_property("textContent") == "ANN +5"
    mark.click()
    cites = page.wait("#panel .cited li", 6)
    shown = [str(cite.get_property("textContent")) for cite in cites]
    gone = "entity 77 (no longer in the graph)"
    assert shown == ["ANN", "ANN → BOB", "ANN owes Bob.", "The tale", source, gone]
    tips = [str(cite.get_attribute("title")) for cite in cites]
    refs = ("entity 1", "relationship 7", "claim 3", "report 5", "source 9")
    for tip, name, ref in zip(tips, shown, refs, strict=False):
        assert tip.startswith(f"{name.replace('→', '–')} ({ref})")
    quotes = [quote.text for quote in page.all("#panel .evidence blockquote")]
    assert len(quotes) == len(set(quotes))


@pytest.mark.parametrize(
    ("ref", "predicate", "said"),
    [
        (1, None, "to BOB ANN met Bob."),
        (2, None, "from ANN ANN met Bob."),
        (1, "works for", "ANN works for BOB ANN met Bob."),
        (2, "works for", "ANN works for BOB · ANN met Bob."),
    ],
)
def test_an_entity_shows_who_acts(
    page: Page, tmp_path: Path, ref: int, predicate: str | None, said: str
) -> None:
    put(page, small(predicate=predicate), tmp_path / "map.html")
    page.chrome.execute_script(f"location.hash = '#entity-{ref}'; {KEPT}")
    page.wait("#graph")[0].click()
    # The opened one is in the middle, and the other one stands below it on the left.
    at_line = f"{'↙' if ref == 1 else '↗'} {predicate}"
    assert {*check(page)} == {"ANN", "BOB", *([at_line] if predicate else [])}
    pair = page.wait("#panel .cite[title*='relationship 7']")[0]
    row = page.ask("document.querySelector('#panel > .list:last-of-type li').textContent")
    assert row.startswith(said)
    pair.click()
    ends = f"ANN {predicate} → BOB" if predicate else "ANN → BOB"
    assert page.wait("#panel .evidence p")[0].text == ends
    assert len(page.all("#panel > blockquote")) == 1


def test_a_hub_shows_its_strongest_neighbours(page: Page, tmp_path: Path) -> None:
    reports: Any = [[n, None, 0, 253, f"C{n}", "", 5.0, "", "model", []] for n in (1, 2)]
    entities = [
        [n, f"E{n}", None, f"type {n % 2}", None, "", 1, 1 + n // 254, [1]] for n in range(1, 255)
    ]
    pairs: list[list[object]] = [[n, 1, n, n, None, "", []] for n in range(2, 254)]
    drawn = Map([["A", "a"]], [[1, 0, 0, "A.", None, [], []]], entities, pairs, [], reports)
    put(page, drawn, tmp_path / "map.html")
    legend = "document.getElementById('legend').innerText"
    assert page.ask(legend) == "Colours are communities.\nThe ring: 1 single entity."
    assert "C2" not in check(page)
    open_hub = "location.hash = '#entity-1'; document.getElementById('graph').click()"
    page.chrome.execute_script(f"{KEPT} {open_hub}")
    said, *types = page.until(f"{legend}.includes('and 212 more') && {legend}.split('\\n')")
    assert said == "The 40 strongest neighbours of E1, and 212 more."
    assert types == ["Colours and shapes are types of entities:", "type 1", "type 0"]
    assert page.ask("window.dots.length") == 41
    assert {"E1", "E253"} <= set(check(page)) <= {"E1", *(f"E{n}" for n in range(214, 254))}


def test_hostile_text_is_shown_as_it_is_everywhere(page: Page, tmp_path: Path) -> None:
    page.prefer(**STILL)
    put(page, small(name=EVIL, title=EVIL, predicate=EVIL), tmp_path / "map.html", EVIL)
    shown = EVIL.replace(OVERRIDE, "\ufffd")
    assert page.wait("h1")[0].text == shown
    for view in ("graph", "circles"):
        page.chrome.execute_script(f"document.getElementById('{view}').click()")
        assert any("<img" in name or "</script" in name for name in check(page))
    for address in ("#community-5", "#entity-1"):
        page.chrome.execute_script(f"location.hash = '{address}'")
        page.until(f"document.querySelector('#panel h2').innerText === {shown!r}")
        for button in page.all("#panel .cite[aria-expanded], #panel summary"):
            button.click()
    page.wait("#search")[0].send_keys("<img")
    page.wait("#found li")
    assert OVERRIDE not in page.ask("document.documentElement.outerHTML")
    assert page.ask("document.querySelectorAll('img').length") == 0
    assert page.errors == []


WRAPPED = (
    "JANE LEE: The Ghost of Christmas Past was shown to old Mr. Scrooge at the\n"
    "counting-house of St. Paul’s, and then it left.\n\n"
    "BEN BLOOM: The fog came in. THE END OF THE PROJECT"
)
SAID = "The Ghost of Christmas Past was shown to old Mr. Scrooge at the counting-house"


def test_whole_sentences_are_quoted_that_say_it(page: Page, tmp_path: Path) -> None:
    whole = "The Ghost was shown to Mr. Scrooge at his counting-house [Data: Sources (1)]."
    none = "The foundation has a project in Paris for readers [Data: Sources (1)]."
    community = [1, None, 0, 1, "Ghosts", whole, 5.0, "", "model", [["Paris", none]]]
    entity = [1, "Jacob Marley", None, "person", None, "", 0, 1, [1]]
    drawn = Map(
        [["Carol", "carol"]],
        [[1, 0, 100, WRAPPED, 7, ["", "Staves"], [0, 120]]],
        [entity],
        [],
        [],
        [community],
    )
    put(page, drawn, tmp_path / "map.html")
    page.chrome.execute_script("location.hash = '#community-1'")
    for button in page.wait("#panel .cite", 2):
        button.click()
    said, place = (quote.text for quote in page.wait("#panel blockquote", 2))
    assert " ".join(said.split()).startswith(f"{SAID} of St. Paul’s, and then it left. Carol, ")
    assert place == "Carol, line 7"
    page.chrome.execute_script("location.hash = '#entity-1'")
    page.until("document.querySelector('#panel h2').innerText === 'Jacob Marley'")
    assert page.wait("#panel blockquote")[0].text == place
    assert page.errors == []


def test_a_copied_address_shows_the_same(page: Page, tmp_path: Path) -> None:
    page.prefer(**STILL)
    put(page, corpus(), tmp_path / "map.html")
    open_community(page, 1)
    for button in ("graph", "closer", "closer"):
        page.wait(f"#{button}")[0].click()
    address = page.until("location.href.includes('at=') && location.href")
    assert "#community-1?view=graph&at=" in address
    before = page.ask(NAMES), zoom(page)
    page.chrome.get("about:blank")
    page.chrome.get(address)
    page.until("document.documentElement.dataset.ready")
    assert {one["text"] for one in page.ask(NAMES)} == {one["text"] for one in before[0]}
    assert zoom(page) == before[1] == 225
    for garbled in ("1,2", "a,b,c", "1,2,1e99"):
        page.chrome.execute_script(f"location.hash = '#community-6?view=x&at={garbled}'")
        page.until("location.hash === '#community-6?view=graph'")
    page.wait("body")[0].send_keys("/")
    page.chrome.switch_to.active_element.send_keys("merchant number 7", Keys.ENTER)
    page.until("location.hash === '#entity-7?view=graph'")
    page.wait("#circles")[0].click()
    page.until("location.hash === '#entity-7'")
    page.chrome.back()
    page.until("document.getElementById('graph').ariaPressed === 'true'")
    page.chrome.forward()
    page.until("document.getElementById('circles').ariaPressed === 'true'")
    page.chrome.execute_script("location.hash = '#'")
    page.until("document.querySelector('#panel h2').innerText === 'All communities'")
    for button, address in (("graph", "#?view=graph"), ("circles", "")):
        page.wait(f"#{button}")[0].click()
        page.until(f"location.hash === '{address}'")
    assert page.errors == []


def test_an_entity_is_found_by_each_of_its_names(page: Page, tmp_path: Path) -> None:
    put(page, small(), tmp_path / "map.html")
    field = page.wait("#search")[0]
    field.send_keys("robe")
    assert page.wait("#found li")[0].text == "BOB person · Robert"
    field.send_keys(Keys.ENTER)
    page.until("location.hash === '#entity-2'")


# Fingers and keys


@pytest.fixture
def touched(page: Page, tmp_path: Path) -> Page:
    """The map on a telephone."""
    page.prefer(**STILL)
    page.resize(400, 800, touch=True)
    put(page, corpus(), tmp_path / "map.html")
    return page


def test_two_fingers_zoom_and_move_the_picture(touched: Page) -> None:
    x, y, _, _ = touched.ask(MIDDLE)
    before = zoom(touched)
    touched.stroke(((x - 30, y), (x - 90, y)), ((x + 30, y), (x + 90, y)))
    assert zoom(touched) == pytest.approx(3 * before, rel=0.1)
    check(touched)
    touched.stroke(((x - 90, y), (x - 30, y)), ((x + 90, y), (x + 30, y)))
    assert zoom(touched) == pytest.approx(before, rel=0.1)
    there = {one["text"]: one["top"] for one in touched.ask(NAMES)}
    touched.stroke(((x - 40, y), (x - 40, y - 60)), ((x + 40, y), (x + 40, y - 60)))
    now = {one["text"]: one["top"] for one in touched.ask(NAMES)}
    moved = [now[name] - there[name] for name in now if name in there]
    assert sum(moved) / len(moved) == pytest.approx(-60, abs=15)
    assert touched.ask("[scrollY, visualViewport.scale]") == [0, 1]
    assert touched.ask("location.hash.split('?')[0]") in {"", "#"}


def test_a_tap_opens_a_community_and_one_beside_it_goes_up(touched: Page) -> None:
    name = min(touched.ask(NAMES), key=lambda one: float(one["top"]))
    touched.tap(((name["left"] + name["right"]) / 2, name["bottom"] - 4))
    touched.until("location.hash.startsWith('#community-')")
    for _ in range(3):
        x, y, width, height = touched.ask(MIDDLE)
        touched.tap((x - width / 2 + 6, y - height / 2 + 6))
    touched.until("location.hash === '' || location.hash === '#'")


def test_names_that_every_object_has_are_words_like_others(page: Page, tmp_path: Path) -> None:
    drawn = small("constructor", "__proto__")
    drawn.communities[0][8] = "constructor"  # type: ignore[index] # where its report is from
    put(page, drawn, tmp_path / "map.html")
    open_community(page, 5)
    assert page.wait("#panel .facts")[0].text.endswith("constructor")
    for word in ("constructor", "__proto__", "valueOf"):
        page.chrome.execute_script("location.hash = '#community-5'")
        page.until("document.querySelector('#panel h2').textContent === '__proto__'")
        page.chrome.execute_script("location.hash = arguments[0]", f"#{word}")
        page.until("document.querySelector('#panel h2').textContent === 'All communities'")
