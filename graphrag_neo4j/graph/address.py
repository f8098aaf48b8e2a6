"""Checks the address of a Neo4j: an error says what is wrong and which address to set."""

import re
from typing import Final
from urllib.parse import SplitResult, urlsplit

from graphrag_neo4j.arguments import did_you_mean
from graphrag_neo4j.errors import InputError

__all__ = ["BROWSER_PORTS", "check_address"]

SCHEMES: Final = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
PORT: Final = 7687  # Neo4j's port for drivers
BROWSER_PORTS: Final = (7473, 7474)  # Neo4j's ports for web pages
# A scheme with a mistake: bolt:/host, bolt//host, bolt:host (but bolt:7687 is a host).
BROKEN_SCHEME: Final = re.compile(r"^(?:neo4j|bolt)(?:\+s|\+ssc)?(?::/*|//+)(?=[^\d/])")
BARE_IPV6: Final = re.compile(r"[0-9a-fA-F]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*")


def check_address(uri: str) -> None:
    """Raises InputError for an address that the driver can't use.

    The message does not repeat a user name or a password.
    """
    if "@" in uri:
        raise InputError(
            "NEO4J_URI must not hold a user name or a password: "
            "set NEO4J_USERNAME and NEO4J_PASSWORD."
        )
    if reason := _flaw(uri):
        raise InputError(f"NEO4J_URI={uri} {reason}")


def _flaw(uri: str) -> str | None:
    """The problem of an address and what to do about it; None if there is no problem."""
    if re.search(r"\s", uri):
        return "has white space in it: leave that out."
    scheme, separator, rest = uri.partition("://")
    if not separator:
        place = BROKEN_SCHEME.sub("", uri)
        return f"has no scheme: set NEO4J_URI={_of_driver('neo4j', place)}."
    if scheme in {"http", "https"}:
        secure = "neo4j+s" if scheme == "https" else "neo4j"
        return (
            "is an address for web browsers, and the driver needs another one: set "
            f"NEO4J_URI={_of_driver(secure, rest)}."
        )
    if scheme not in SCHEMES:
        hint = did_you_mean(scheme, SCHEMES)
        return f"has an unknown scheme: begin it with one of {', '.join(SCHEMES)} and ://.{hint}"
    return _flaw_of_place(scheme, rest)


def _flaw_of_place(scheme: str, rest: str) -> str | None:
    """The problem of the part after the scheme; None if there is no problem."""
    if BARE_IPV6.fullmatch(rest):
        return f"has an IPv6 address without brackets: write {_of_driver(scheme, rest)}."
    try:
        parts = urlsplit(f"{scheme}://{rest}")
        port = parts.port
    except ValueError:
        return "has an invalid host or port: a port is a number from 1 to 65535."
    if not parts.hostname:
        return f"names no host: set, for example, NEO4J_URI={scheme}://localhost:{PORT}."
    if port == 0:
        return "has the port 0: a port is a number from 1 to 65535."
    return _flaw_of_end(scheme, parts)


def _flaw_of_end(scheme: str, parts: SplitResult) -> str | None:
    """The problem of a path or a fragment at the end of an address; None if there is none."""
    if not (path := parts.path.strip("/")) and not parts.fragment:
        return None
    database = f", and NEO4J_DATABASE={path} if that names the database" if path else ""
    return (
        f"goes on after the host and the port: set NEO4J_URI={scheme}://{parts.netloc}{database}."
    )


def _of_driver(scheme: str, place: str) -> str:
    """The address for the driver; `place` is host, host:port or an address for a browser."""
    host = re.split("[/?#]", place)[0]
    if BARE_IPV6.fullmatch(host):
        address, _, last = host.rpartition(":")
        port_there = len(last) > 3 and last.isdecimal() and not address.endswith("::")
        host = f"[{address}]:{last}" if port_there else f"[{host}]"
    name, colon, port = host.rpartition(":")
    if not colon or port.endswith("]"):
        name, port = host, ""
    known = port.isdecimal() and int(port) not in BROWSER_PORTS
    hidden = scheme == "neo4j+s" and not port  # addresses of Aura have no port
    return f"{scheme}://{name or 'localhost'}" + ("" if hidden else f":{port if known else PORT}")
