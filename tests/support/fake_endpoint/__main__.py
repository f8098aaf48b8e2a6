"""Run the endpoint until it is ended: its address is the first line that it prints.

python -m tests.support.fake_endpoint ['{"latency": 0.3}' [PORT]]
"""

import asyncio
import json
import sys
from contextlib import suppress

from tests.support.fake_endpoint.endpoint import Endpoint
from tests.support.fake_endpoint.fake import address
from tests.support.fake_endpoint.options import Options, change
from tests.support.fake_endpoint.server import HttpServer


async def _run(given: str = "{}", port: str = "0") -> None:
    options = change(Options(), json.loads(given))
    found = await HttpServer(Endpoint(options).answer).listen(int(port))
    print(address(found), flush=True)  # noqa: T201 - a program of its own
    await asyncio.Event().wait()


with suppress(KeyboardInterrupt):
    asyncio.run(_run(*sys.argv[1:]))
