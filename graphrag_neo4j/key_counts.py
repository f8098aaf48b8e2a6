"""Counts keys, of which there may be millions. Beyond some megabytes the counts are on the disk."""

import hashlib
import weakref

__all__ = ["KeyCounts"]

CACHE = 8_000_000  # bytes of the counts that stay in memory, about 150,000 keys


class KeyCounts:
    """Counts how often each key came.

    The counts are in a temporary database without a name. SQLite makes its file when the cache is
    full, and the file is gone when this object is. A key is kept as a hash of 16 bytes.
    """

    def __init__(self) -> None:
        import sqlite3  # noqa: PLC0415 - most commands count no keys

        # A reader may be called by one thread after the other.
        self._table = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        weakref.finalize(self, self._table.close)
        self._table.execute("PRAGMA journal_mode = OFF")  # nothing is ever taken back
        self._table.execute(f"PRAGMA cache_size = -{CACHE // 1024}")
        self._table.execute("CREATE TABLE seen (key BLOB PRIMARY KEY, times INT) WITHOUT ROWID")
        self._table.execute("BEGIN")  # without it, each key would be a transaction

    def add(self, key: str) -> int:
        """Counts a key, and returns how often it has come, this time included."""
        times = self[key] + 1
        self._table.execute("INSERT OR REPLACE INTO seen VALUES (?, ?)", (_hash(key), times))
        return times

    def __getitem__(self, key: str) -> int:
        """How often a key has come."""
        found = self._table.execute("SELECT times FROM seen WHERE key = ?", (_hash(key),))
        return int((found.fetchone() or (0,))[0])

    def __contains__(self, key: str) -> bool:
        return self[key] > 0


def _hash(key: str) -> bytes:
    return hashlib.blake2b(key.encode(errors="surrogatepass"), digest_size=16).digest()
