"""A small OpenAI-compatible endpoint over real HTTP, for tests and benchmarks.

    with FakeEndpoint(too_many=0.2) as endpoint:
        client = openai.OpenAI(base_url=endpoint.url, api_key="any")

`server` speaks HTTP, `endpoint`, `forms` and `batches` OpenAI's API. `chat` reads what is asked,
`replies` chooses the reply by its kind, and `invented` and `book` know what is in a text.
"""

from tests.support.fake_endpoint.chat import text_hash
from tests.support.fake_endpoint.endpoint import Call
from tests.support.fake_endpoint.fake import FakeEndpoint
from tests.support.fake_endpoint.options import Options

__all__ = ["Call", "FakeEndpoint", "Options", "text_hash"]
