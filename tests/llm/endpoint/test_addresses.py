"""Addresses, keys and proxies as people set them, and why an endpoint can't be reached."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from ipaddress import ip_address
from pathlib import Path
from threading import Thread

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from graphrag_neo4j.errors import InputError, ModelError, ReplyError
from graphrag_neo4j.llm.endpoint import Endpoint
from graphrag_neo4j.model.types import Message, Request
from graphrag_neo4j.settings import load_settings
from tests.support.odd_endpoint import nothing_listens, odd_endpoint

REPLY = {"choices": [{"message": {"role": "assistant", "content": "Yes."}}]}
ASKED = Request("answer", (Message("user", "Is it so?"),))
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE")


@pytest.fixture(autouse=True)
def plain_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy of whoever runs the tests."""
    for name in PROXIES:
        for one in (name, name.lower()):
            monkeypatch.delenv(one, raising=False)


async def said_of(url: str, key: str = "sk-x") -> str:
    """What is said of an endpoint that can't be asked, "" if it can."""
    try:
        given = load_settings(openai_base_url=url, openai_api_key=key, max_retries=0)
        async with Endpoint(given) as model:
            await model.ask(ASKED)
    except (InputError, ModelError, ReplyError) as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    "written",
    [
        "{}", " {}\n", '"{}"', "'{}'", "“{}”", "{}/", "{}?api-version=2026-01-01", "<{}>",
        "{}/chat/completions", "{}#top",
    ],
)  # fmt: skip
async def test_an_address_is_read_as_it_was_meant(written: str) -> None:
    with odd_endpoint(REPLY) as (url, came):
        assert await said_of(written.format(url)) == ""
        assert await said_of(url.replace("/v1", "//v1")) == ""
    assert [(one.path, one.query) for one in came] == [
        ("/v1/chat/completions", "api-version=2026-01-01" if "?" in written else ""),
        ("/v1/chat/completions", ""),
    ]


@pytest.mark.parametrize(
    "url",
    [
        "localhost:11434/v1", "api.example.org", "http://h:99999/v1", "http://[::1/v1", "http:///v1",
        "ftp://a.org/v1", "http://a b.org/v1", "/v1",
    ],
)  # fmt: skip
async def test_what_is_not_an_address_is_told_in_a_sentence(url: str) -> None:
    assert (await said_of(url)).startswith("OPENAI_BASE_URL must be an address such as https://")


async def test_an_address_without_v1_is_told_what_others_end_with() -> None:
    with odd_endpoint("Not Found", status=404) as (url, _):
        assert "most of which end with /v1" in await said_of(url.removesuffix("/v1"))
        assert "most of which" not in await said_of(url)


async def test_a_key_may_have_blanks_around_it_but_not_inside() -> None:
    with odd_endpoint(REPLY) as (url, came):
        assert await said_of(url, " sk-x\r\n") == ""
        for key in ("sk x", "sk-x\nsk-y", "sk-é"):
            assert await said_of(url, key) == (
                "OPENAI_API_KEY holds characters that no key has: copy it again."
            )
    assert [one.headers["authorization"] for one in came] == ["Bearer sk-x"]


@contextmanager
def served_by_tls(folder: Path) -> Iterator[tuple[str, Path]]:
    """The address of a server whose certificate nobody knows, and the file of that certificate."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    place = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(place, critical=False)
        .sign(key, SHA256())
    )
    both = folder / "both.pem"
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    both.write_bytes(private + made.public_bytes(Encoding.PEM))
    known = folder / "known.pem"
    known.write_bytes(made.public_bytes(Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(both)
    with plain_server(context) as url:
        yield url, known


@contextmanager
def plain_server(context: ssl.SSLContext | None = None) -> Iterator[str]:
    """The https address of a server that refuses all calls, and speaks TLS if it has a context."""
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        if context:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"https://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()


async def test_why_an_endpoint_cant_be_reached_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with nothing_listens() as url:
        assert "attempts failed" in await said_of(url)
        assert "proxy" not in await said_of(url)
        dead = url.removesuffix("/v1")
        with monkeypatch.context() as patch:
            patch.setenv("HTTP_PROXY", dead.replace("://", "://user:secret@"))
            said = await said_of("http://model.test/v1")
            assert f"through the proxy {dead.removeprefix('http://')} of the" in said
            assert "secret" not in said
            patch.setenv("NO_PROXY", "127.0.0.1")
            assert "proxy" not in await said_of(url)
    with plain_server() as url:
        assert "does not speak TLS" in await said_of(url)
    with served_by_tls(tmp_path) as (url, known):
        assert "set SSL_CERT_FILE" in await said_of(url)
        monkeypatch.setenv("SSL_CERT_FILE", str(known))
        assert "SSL_CERT_FILE" not in await said_of(url)
    assert "host name is not known" in await said_of("http://no-such-host.invalid/v1")


@pytest.mark.parametrize(
    ("name", "value"), [("ALL_PROXY", "socks5://127.0.0.1:1"), ("SSL_CERT_FILE", "/nowhere/at/all")]
)
async def test_what_the_environment_sets_wrongly_is_told_in_a_sentence(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    said = await said_of("https://model.test/v1")
    assert said.startswith("A proxy or certificate that the environment sets can't be used (")
    assert name in said
