"""The page: the map of `kg-build map` beside a box to ask in, from one source for both."""

from functools import cache
from http import HTTPStatus
from string import Template
from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

from graphrag_neo4j.extras.serve.questions import Asked
from graphrag_neo4j.files import data
from graphrag_neo4j.web.map import page_parts, read_map

router = APIRouter()
PLACE = r"^\d+(-\d+-\d+)?$"  # the ref of a chunk, and characters [start, end) of its document

PLACES = 50  # chunks of an entity, of which the page makes its list of documents
SCRIPTS = ("token", "side", "document", "names", "contradictions", "ask")
PAGE_FILES = {"page.css": "text/css", "page.js": "text/javascript"}
HEAD = '<link rel="stylesheet" href="static/page.css">'
DOORS = (
    '<nav class="doors" aria-label="Views"><a href="#ask">Ask</a> <a href="#">Map</a> '
    '<a href="#documents">Documents</a></nav>'
)
SCRIPT = '<script src="static/page.js" defer></script>'


@cache
def page_html() -> str:
    """The page, which loads its style and its script from this server."""
    template, _, _ = page_parts()
    ask = data("serve/ask.html").read_text(encoding="utf-8")
    named = {"title": "Ask your documents", "name": "kg-build serve"}
    return Template(template).substitute(named, head=HEAD, doors=DOORS, ask=ask, script=SCRIPT)


@cache
def static_file(name: str) -> str:
    """The content of a file of FILES."""
    _, style, script = page_parts()
    if name == "page.css":
        return style + data("serve/serve.css").read_text(encoding="utf-8")
    first, *others = [data(f"serve/{one}.js").read_text(encoding="utf-8") for one in SCRIPTS]
    return "\n".join([first, script, *others])  # nothing reads the address before its token is out


@router.get("/", include_in_schema=False)
async def page() -> HTMLResponse:
    """The page."""
    return HTMLResponse(page_html())


@router.get("/static/{name}", include_in_schema=False)
async def static(name: str) -> Response:
    """A file of the page."""
    if name not in PAGE_FILES:
        raise HTTPException(HTTPStatus.NOT_FOUND, f"There is no file {name}.")
    return Response(static_file(name), media_type=PAGE_FILES[name])


@router.get("/favicon.ico", include_in_schema=False)
async def icon() -> Response:
    """There is no icon."""
    return Response(status_code=HTTPStatus.NO_CONTENT)


@router.get("/source/{place}", include_in_schema=False)
async def open_passage(place: Annotated[str, Path(pattern=PLACE)]) -> RedirectResponse:
    """Opens a passage in the page: footnotes of answers link to it."""
    return RedirectResponse(f"../#source-{place}")  # also under a prefix


@router.get("/api/map", response_class=PlainTextResponse)
async def map_data(questions: Asked) -> PlainTextResponse:
    """The data of the map, packed as in the file that `kg-build map` writes."""
    found = await read_map(questions.rag.graph, PLACES, may_be_empty=True)
    return PlainTextResponse(found.packed())
