"""A small OpenAI-compatible endpoint over real HTTP, for tests and benchmarks.

    with FakeEndpoint(too_many=0.2) as endpoint:
        client = openai.OpenAI(base_url=endpoint.url, api_key="any")

`server` speaks HTTP, `endpoint` and `forms` OpenAI's API, `chat` recognises what is asked,
`replies` says what is known of a text: `book` of A Christmas Carol, `invented` of any other.
"""

from tests.support.fake_endpoint.chat import text_hash
from tests.support.fake_endpoint.endpoint import Call
from tests.support.fake_endpoint.fake import FakeEndpoint
from tests.support.fake_endpoint.options import Options

__all__ = ["Call", "FakeEndpoint", "Options", "text_hash"]
