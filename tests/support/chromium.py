"""A real Chromium for tests of pages, as a person has it: with a mouse, or with fingers."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from graphrag_neo4j.extras.explore import Map

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
SECONDS = 90  # at most: nothing waits longer than it has to
Finger = tuple[float, float]

needs_chromium = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="needs the packages chromium and chromium-driver"
)


class Page:
    """A page in Chromium."""

    def __init__(self, chrome: Chrome) -> None:
        self.chrome = chrome

    def all(self, selector: str) -> list[WebElement]:
        """What is visible now."""
        found = self.chrome.find_elements(By.CSS_SELECTOR, selector)
        return [element for element in found if element.is_displayed()]

    def wait(self, selector: str, n: int = 1) -> list[WebElement]:
        """At least `n` visible elements."""
        # A page may replace an element while it is looked at.
        replaced = [StaleElementReferenceException]
        waiting = WebDriverWait(self.chrome, SECONDS, ignored_exceptions=replaced)

        def enough(_: object) -> list[WebElement] | Literal[False]:
            found = self.all(selector)
            return found if len(found) >= n else False

        return waiting.until(enough, f"{n} of {selector}")

    def until(self, script: str) -> Any:  # noqa: ANN401 - whatever the script gives
        """What a script returns, once it is true."""
        waiting = WebDriverWait(self.chrome, SECONDS)
        return waiting.until(lambda chrome: chrome.execute_script(f"return {script}"), script)

    def ask(self, script: str) -> Any:  # noqa: ANN401 - whatever the script gives
        """What a script returns now."""
        return self.chrome.execute_script(f"return {script.strip()}")

    def resize(self, width: int, height: int = 800, *, touch: bool = False) -> None:
        """Makes the window of this size in CSS pixels, on a telephone if it is touched."""
        self._tell(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": touch},
        )
        self._tell("Emulation.setTouchEmulationEnabled", {"enabled": touch, "maxTouchPoints": 2})

    def prefer(self, **features: str) -> None:
        """Sets media features, such as prefers_color_scheme="dark"."""
        named = [{"name": name.replace("_", "-"), "value": it} for name, it in features.items()]
        self._tell("Emulation.setEmulatedMedia", {"features": named})

    def stroke(self, *fingers: tuple[Finger, Finger], steps: int = 10) -> None:
        """Puts fingers down, moves each from its first point to its second one, lifts them."""
        self._touch("touchStart", [start for start, _ in fingers])
        for step in range(1, steps + 1):
            moved = [
                (x + (x2 - x) * step / steps, y + (y2 - y) * step / steps)
                for (x, y), (x2, y2) in fingers
            ]
            self._touch("touchMove", moved)
        self._touch("touchEnd", [])

    def tap(self, finger: Finger) -> None:
        """Touches a point and lets go."""
        self._touch("touchStart", [finger])
        self._touch("touchEnd", [])

    def wheel(self, x: float, y: float, down: float) -> None:
        """Turns the wheel of a mouse that is at a point."""
        at = {"x": x, "y": y, "deltaX": 0, "deltaY": down}
        self._tell("Input.dispatchMouseEvent", {"type": "mouseWheel", **at})

    def _touch(self, kind: str, fingers: Sequence[Finger]) -> None:
        points = [{"x": x, "y": y, "id": n} for n, (x, y) in enumerate(fingers)]
        self._tell("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def _tell(self, command: str, values: dict[str, Any]) -> None:
        self.chrome.execute_cdp_cmd(command, values)

    @property
    def errors(self) -> list[Any]:
        return [line for line in self.chrome.get_log("browser") if line["level"] == "SEVERE"]  # type: ignore[no-untyped-call]


@contextmanager
def chromium() -> Iterator[Chrome]:
    """A browser without pages of its own, whose window has 1400 by 900 pixels."""
    options = ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.add_argument("--window-size=1400,900")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = Chrome(options=options, service=ChromeService(str(DRIVER)))
    try:
        yield chrome
    finally:
        chrome.quit()


@contextmanager
def new_page(chrome: Chrome) -> Iterator[Page]:
    """An empty page in a tab of its own, so that no size and no touch of another test remains."""
    first = chrome.current_window_handle
    chrome.switch_to.new_window("tab")
    chrome.get_log("browser")  # type: ignore[no-untyped-call]  # what the pages before it wrote
    try:
        yield Page(chrome)
    finally:
        chrome.close()
        chrome.switch_to.window(first)


def put(page: Page, drawn: Map, path: Path, title: str = "Tales") -> None:
    """Opens a map that is written to `path`."""
    path.write_text(drawn.page(title), encoding="utf-8")
    page.chrome.get(path.as_uri())
    page.until("document.documentElement.dataset.ready")
