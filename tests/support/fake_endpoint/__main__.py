"""Run the endpoint until it is ended: its address is the first line that it prints."""

import asyncio
import sys
from contextlib import suppress

from tests.support.fake_endpoint.endpoint import Endpoint
from tests.support.fake_endpoint.fake import address
from tests.support.fake_endpoint.options import parse_arguments
from tests.support.fake_endpoint.server import HttpServer


async def _run() -> None:
    port, options = parse_arguments(sys.argv[1:])
    port = await HttpServer(Endpoint(options).answer).listen(port)
    print(address(port), flush=True)  # noqa: T201 - a program of its own
    await asyncio.Event().wait()


with suppress(KeyboardInterrupt):
    asyncio.run(_run())
