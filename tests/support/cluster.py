"""A stand-in for a cluster: routing over real Bolt, with a follower that lags behind its leader.

Both stand before one real Neo4j. A transaction that names a bookmark waits on a real follower until
this has what the bookmark stands for, so here it is answered. One without bookmarks sees nothing.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from urllib.parse import urlsplit

import anyio
from anyio.abc import ByteStream, SocketAttribute, SocketStream

BEGIN, ROUTE, SUCCESS, RECORD = 0x11, 0x66, 0x70, 0x71
LOCAL_PORT = SocketAttribute.local_port
BOLT_5_4 = bytes.fromhex("6060b017 00000405 00000000 00000000 00000000")


@asynccontextmanager
async def lagging_cluster(uri: str) -> AsyncIterator[str]:
    """The address of a cluster whose members answer from the Neo4j at `uri`."""
    leader = await anyio.create_tcp_listener(local_host="127.0.0.1")
    follower = await anyio.create_tcp_listener(local_host="127.0.0.1")
    places = [f"127.0.0.1:{one.extra(LOCAL_PORT)}" for one in (leader, follower)]  # noqa: S610
    member = Member(urlsplit(uri).port or 0, *places)
    async with leader, follower, anyio.create_task_group() as tasks:
        tasks.start_soon(leader.serve, partial(member.serve, lags=False))
        tasks.start_soon(follower.serve, partial(member.serve, lags=True))
        try:
            yield f"neo4j://{places[0]}"
        finally:
            tasks.cancel_scope.cancel()


class Member:
    """Passes Bolt on to the Neo4j at `port`, and answers itself where the members are."""

    def __init__(self, port: int, leader: str, follower: str) -> None:
        self.port = port
        table = {"WRITE": leader, "READ": follower, "ROUTE": leader}
        servers = [{"role": role, "addresses": [at]} for role, at in table.items()]
        reply = {"rt": {"ttl": 1000, "db": "neo4j", "servers": servers}}
        self.routing = framed(bytes([0xB1, SUCCESS]) + packed(reply))

    async def serve(self, client: SocketStream, lags: bool) -> None:
        blind = False  # the transaction of this connection sees nothing

        async def ask() -> None:
            nonlocal blind
            async for message in messages(client):
                if message[1] == ROUTE:
                    await client.send(self.routing)
                    continue
                if message[1] == BEGIN:
                    blind = lags and b"bookmarks" not in message
                await server.send(framed(message))
            tasks.cancel_scope.cancel()

        async with client, await anyio.connect_tcp("127.0.0.1", self.port) as server:
            try:
                await exactly(client, len(BOLT_5_4))
            except anyio.EndOfStream:  # on a busy machine, a driver gives up while it connects
                return
            await server.send(BOLT_5_4)
            await client.send(await exactly(server, 4))
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(ask)
                async for message in messages(server):
                    if not (blind and message[1] == RECORD):
                        await client.send(framed(message))
                tasks.cancel_scope.cancel()


async def messages(stream: ByteStream) -> AsyncIterator[bytes]:
    """The messages of a connection, until it ends."""
    message = b""
    try:
        while True:
            size = int.from_bytes(await exactly(stream, 2))
            message += await exactly(stream, size)
            if not size and message:
                yield message
                message = b""
    except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
        return


async def exactly(stream: ByteStream, size: int) -> bytes:
    found = b""
    while len(found) < size:
        found += await stream.receive(size - len(found))
    return found


def framed(message: bytes) -> bytes:
    """A message in the chunks of Bolt."""
    chunks = [message[start : start + 0xFFFF] for start in range(0, len(message), 0xFFFF)]
    return b"".join(len(chunk).to_bytes(2) + chunk for chunk in chunks) + b"\0\0"


def packed(value: object) -> bytes:
    """A small value in PackStream."""
    if isinstance(value, dict):
        pairs = b"".join(packed(name) + packed(one) for name, one in value.items())
        return bytes([0xA0 + len(value)]) + pairs
    if isinstance(value, list):
        return bytes([0x90 + len(value)]) + b"".join(map(packed, value))
    if isinstance(value, int):
        return b"\xc9" + value.to_bytes(2)
    text = str(value).encode()
    return bytes([0xD0, len(text)]) + text
