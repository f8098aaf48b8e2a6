"""The options for reading files; they are here because a client takes them that may read none."""

from dataclasses import dataclass
from pathlib import Path

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.settings import MAX_FILE_MB

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """The options for reading files.

    The columns are those of csv and json files. Without `title_column`, a column "title" is used if
    it exists; without `id_column`, a row is identified by its content. Sources are relative to
    `source_root` if it is given. Symbolic links that lead out of a folder are followed only with
    `follow_links`. `encoding` is that of text files that are not UTF-8; without it, it is guessed.
    `max_file_mb`, in megabytes, replaces the setting KG_MAX_FILE_MB. Raises InputError if there is
    no such encoding.
    """

    text_column: str = "text"
    title_column: str | None = None
    id_column: str | None = None
    source_root: Path | None = None
    follow_links: bool = False
    encoding: str | None = None
    max_file_mb: int | None = None

    def __post_init__(self) -> None:
        try:
            b"a".decode(self.encoding or "utf-8")  # Python does not look at the name for no bytes
        except UnicodeDecodeError:
            return
        except (LookupError, ValueError):
            raise InputError(
                f"There is no encoding {self.encoding!r}: cp1252 is one, for example."
            ) from None

    @property
    def max_bytes(self) -> int:
        """The largest number of bytes of a file that is read as a whole, unpacked if packed."""
        return (self.max_file_mb or MAX_FILE_MB) * MEGABYTE

    def refuse_larger(self, n_bytes: int, does: str) -> None:
        """Raises InputError for a file of more bytes than the limit; `does` is the verb."""
        if n_bytes > self.max_bytes:
            raise InputError(
                f"{does} {n_bytes / MEGABYTE:,.0f} MB, more than the limit of "
                f"{self.max_bytes // MEGABYTE:,} MB: KG_MAX_FILE_MB sets another"
            )
