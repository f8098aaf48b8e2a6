"""Downloads the jars of a lock file from a Maven repository in parallel, checks and keeps them.

A jar gets its name only when it is complete and its SHA-256 is that of the lock. So the next run
continues an interrupted download with the missing jars; only jars that were incomplete are
downloaded again (half a megabyte on average).
"""

import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import suppress
from hashlib import file_digest, sha256
from itertools import product
from pathlib import Path

import httpx2
from platformdirs import user_cache_path

from graphrag_neo4j.embedded.home import locked, waiting
from graphrag_neo4j.embedded.releases import Jar, Release
from graphrag_neo4j.errors import EmbeddedError
from graphrag_neo4j.files import make_private_folder, open_private
from graphrag_neo4j.model.events import Advanced, Listener, Notice, Started
from graphrag_neo4j.settings.installing import needing

NEO4J = "Neo4j, the database that keeps the graph"
THREADS = 16
ATTEMPTS = 3
BETWEEN = 0.5  # seconds between two reports of progress, unless a jar is complete before


def cache_folder(name: str) -> Path:
    """The folder of this name in this user's cache."""
    return user_cache_path("graphrag-neo4j", appauthor=False) / name


def jars_folder(release: Release) -> Path:
    """The folder of a release's jars, for all homes of this user.

    Raises EmbeddedError where Neo4j could not use jars in this folder.
    """
    cache = cache_folder("neo4j")
    # Observed: Neo4j's web server fails with "Bad escape" on the jar of Neo4j Browser.
    if not str(cache).isascii():
        raise EmbeddedError(
            f"Neo4j can't run from {cache.parent}, which has letters beyond ASCII: name another"
            " cache folder (on Linux in XDG_CACHE_HOME), or a server in NEO4J_URI."
        )
    return cache / release.folder_name()


def maven_central() -> str:
    """The address of Maven Central, from jgo."""
    needs = "Without a Maven repository in KG_MAVEN_URL, the embedded Neo4j needs"
    with needing("local", needs, EmbeddedError):
        from jgo.constants import MAVEN_CENTRAL_URL  # noqa: PLC0415 - an extra
    return str(MAVEN_CENTRAL_URL)


def fetch_missing(
    jars: Sequence[Jar], folder: Path, url: str | None, listen: Listener, purpose: str = NEO4J
) -> None:
    """Makes sure that `folder` holds all of `jars` as `folder/KIND/NAME`, with the right hash.

    Missing or damaged jars are downloaded from the Maven repository at `url` (None: Maven Central).
    A notice says before with `purpose` what the jars are and what they are for.
    Raises EmbeddedError that names a jar which can't be downloaded or has another hash.
    """
    with waiting(listen, f"Checking the files in {folder}"):
        sound = not _unsound(jars, folder)
    if sound:
        return
    make_private_folder(folder)
    with locked(folder / "lock", listen, "Waiting for the same download elsewhere"):
        # Another process may have downloaded them while we waited for the lock.
        if missing := _unsound(jars, folder):
            for jar in missing:
                if _place(jar, folder).exists():
                    listen(Notice(f"{jar.name} in {folder} is damaged and is downloaded again."))
            files = "1 jar" if len(missing) == 1 else f"{len(missing)} jars"
            megabytes = sum(jar.size for jar in missing) / 1e6
            what = f"{purpose} ({files}, {megabytes:.0f} MB)"
            listen(Notice(f"Downloading {what}, to {folder}."))
            _fetch_all(missing, folder, url or maven_central(), listen)


def _unsound(jars: Sequence[Jar], folder: Path) -> list[Jar]:
    def is_sound(jar: Jar) -> bool:
        path = _place(jar, folder)
        if not path.is_file() or path.stat().st_size != jar.size:
            return False
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest() == jar.sha256

    with ThreadPoolExecutor() as pool:
        return [jar for jar, good in zip(jars, pool.map(is_sound, jars), strict=True) if not good]


def _fetch_all(jars: Sequence[Jar], folder: Path, url: str, listen: Listener) -> None:
    listen(Started("download", sum(jar.size for jar in jars), "bytes"))
    told = 0
    limits = httpx2.Limits(max_connections=THREADS)
    with (
        httpx2.Client(follow_redirects=True, timeout=30, limits=limits) as client,
        ThreadPoolExecutor(THREADS) as pool,
    ):
        left = {pool.submit(_fetch, client, url.rstrip("/"), jar, folder) for jar in jars}
        try:
            while left:
                ended, left = wait(left, BETWEEN, FIRST_COMPLETED)
                for task in ended:
                    task.result()  # raises its error
                received = 0
                for jar, end in product(jars, ("", ".part")):
                    with suppress(FileNotFoundError):
                        received += min(_place(jar, folder, end).stat().st_size, jar.size)
                if received > told:  # it may fall when a download is tried again
                    listen(Advanced(received - told))
                    told = received
        finally:
            pool.shutdown(cancel_futures=True)


def _place(jar: Jar, folder: Path, end: str = "") -> Path:
    return folder / jar.kind / f"{jar.name}{end}"


def _fetch(client: httpx2.Client, url: str, jar: Jar, folder: Path) -> None:
    part = _place(jar, folder, ".part")
    make_private_folder(part.parent)
    try:
        digest = _download(client, f"{url}/{jar.path}", part)
    except httpx2.HTTPStatusError as error:
        status = error.response.status_code
        raise EmbeddedError(
            f"The Maven repository {url} answers {status} for {jar.path}: run the same command"
            " again, or give another mirror in KG_MAVEN_URL."
        ) from error
    except httpx2.HTTPError as error:
        raise EmbeddedError(
            f"The Maven repository {url} can't be reached ({error}): connect to a network and"
            " run the same command again, or give a mirror that it reaches in KG_MAVEN_URL."
        ) from error
    if digest != jar.sha256:
        part.unlink()
        raise EmbeddedError(
            f"{jar.name} from {url} is not the file that the lock names (SHA-256 {digest},"
            f" expected {jar.sha256}), and is not used: run the same command again,"
            " or give another mirror in KG_MAVEN_URL."
        )
    part.replace(_place(jar, folder))


def _download(client: httpx2.Client, url: str, path: Path, attempt: int = 1) -> str:
    """Downloads a file and returns its SHA-256; short failures of the network are retried."""
    digest = sha256()
    try:
        with client.stream("GET", url) as response:
            response.raise_for_status()
            with open_private(path) as file:
                for block in response.iter_bytes():
                    digest.update(block)
                    file.write(block)
    except httpx2.HTTPError as error:
        passes = not isinstance(error, httpx2.ConnectError)
        if isinstance(error, httpx2.HTTPStatusError):
            passes = error.response.status_code in {408, 429, 500, 502, 503, 504}
        if attempt == ATTEMPTS or not passes:
            raise
        time.sleep(attempt / 2)
        return _download(client, url, path, attempt + 1)
    return digest.hexdigest()
