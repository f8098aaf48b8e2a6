"""Run the endpoint until it is ended: its address is the first line that it prints."""

import asyncio
import sys
from contextlib import suppress

from tests.support.fake_endpoint.endpoint import Endpoint
from tests.support.fake_endpoint.fake import address
from tests.support.fake_endpoint.options import Options, parse_arguments
from tests.support.fake_endpoint.server import HttpServer


async def _run(port: int, options: Options) -> None:
    port = await HttpServer(Endpoint(options).answer).listen(port)
    sys.stdout.write(f"{address(port)}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


with suppress(KeyboardInterrupt):
    asyncio.run(_run(*parse_arguments()))
