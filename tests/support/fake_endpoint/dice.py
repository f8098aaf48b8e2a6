"""Chance that is the same on every run: it depends on what is given, and on nothing else."""

from hashlib import blake2b
from random import Random
from zlib import crc32

__all__ = ["dice", "digest", "pick"]


def dice(*parts: object) -> Random:
    """A source of random numbers for these parts."""
    return Random(_join(parts))


def pick(count: int, *parts: object) -> int:
    """A number from 0 to count - 1 for these parts: as `dice`, and much cheaper."""
    return crc32(_join(parts)) % count


def digest(data: bytes) -> str:
    """A short hash, 16 hexadecimal digits."""
    return blake2b(data, digest_size=8).hexdigest()


def _join(parts: tuple[object, ...]) -> bytes:
    return "\x1f".join(map(str, parts)).encode("utf-8", "replace")
