"""Measures what is read of real files: their words, beside those of another program.

    python scripts/bench/reading_files.py FOLDER             all pdf, docx, html and md files in it
    python scripts/bench/reading_files.py FOLDER --worst 30  names more of the worst files

The other programs are pdftotext, pandoc and lynx, where they are installed. A file that its program
can't read or has no words for is left out. Words are compared as multisets, without hyphens and
with ligatures as letters. "Lost" are words that the other program alone finds, "not there" those
that only our reader finds; both are shares of the other program's words. The seconds are ours. The
other program may be wrong, too: look at the worst files.
"""

import argparse
import re
import shutil
import subprocess
import sys
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

from graphrag_neo4j.documents import ReadingProcess, ReadOptions, Unreadable, read
from graphrag_neo4j.model.types import Document

PROGRAMS: dict[str, Sequence[str]] = {
    ".pdf": ("pdftotext", "-q", "-enc", "UTF-8", "{}", "-"),
    ".docx": ("pandoc", "-t", "plain", "--wrap=none", "{}"),
    ".md": ("pandoc", "-f", "gfm", "-t", "plain", "--wrap=none", "{}"),
    ".html": ("lynx", "-dump", "-nolist", "-width=10000", "-display_charset=utf-8", "{}"),
}
SECONDS = 60  # for a file
EXAMPLES = 6  # words
HYPHEN = re.compile("(?:[-\u2010\u2011]|\u00ad)\\s*\\n\\s*|[-\u2010\u2011\u00ad]")
# A sign of Chinese or Japanese is a word: where lines end says nothing there.
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")


class Compared(NamedTuple):
    """A file: the number of the other program's words, and the words that one side alone has."""

    path: Path
    words: int
    lost: Counter[str]
    added: Counter[str]
    seconds: float


def main() -> None:
    arguments = _arguments()
    process, found, unread = ReadingProcess(SECONDS), defaultdict(list), Counter[str]()
    for path in sorted(arguments.folder.rglob("*")):
        suffix = path.suffix.lower().replace(".htm", ".html").replace(".htmll", ".html")
        program = PROGRAMS.get(suffix)
        if program and shutil.which(program[0]) and (theirs := _words(_printed(program, path))):
            began = time.perf_counter()
            items = list(read(path, ReadOptions(), process=process))
            seconds = time.perf_counter() - began
            reasons = [item.reason for item in items if isinstance(item, Unreadable)]
            unread.update((f"{suffix}: {reason[:80]}") for reason in reasons)
            if not reasons:
                texts = [item.text for item in items if isinstance(item, Document)]
                ours = _words("\n".join(texts))
                one = Compared(path, theirs.total(), theirs - ours, ours - theirs, seconds)
                found[suffix].append(one)
    process.stop()
    print(f"{'kind':6}{'files':>7}{'words':>12}{'lost':>8}{'not there':>11}{'seconds':>9}")
    for suffix, files in found.items():
        words = sum(one.words for one in files)
        lost = sum(one.lost.total() for one in files) / words
        added = sum(one.added.total() for one in files) / words
        seconds = sum(one.seconds for one in files)
        print(f"{suffix:6}{len(files):7,}{words:12,}{lost:8.2%}{added:11.2%}{seconds:9.1f}")
    for suffix, files in found.items():
        print(f"\nThe worst files {suffix}")
        files.sort(key=lambda one: -one.lost.total() - one.added.total())
        for one in files[: arguments.worst]:
            print(f"  {one.path}: {one.words:,} words")
            print(f"    lost {one.lost.total():,}: {_examples(one.lost)}")
            print(f"    not there {one.added.total():,}: {_examples(one.added)}")
    print("\nNot read")
    for reason, n in unread.most_common():
        print(f"  {n:5,} {reason}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--worst", type=int, default=10)
    return parser.parse_args()


def _printed(program: Sequence[str], path: Path) -> str:
    """What the other program prints of a file; nothing if it fails."""
    command = [part.format(path) for part in program]
    try:
        ran = subprocess.run(command, capture_output=True, timeout=SECONDS, check=True)
    except subprocess.SubprocessError:
        return ""
    return ran.stdout.decode("utf-8", "replace")


def _words(text: str) -> Counter[str]:
    return Counter(WORD.findall(HYPHEN.sub("", unicodedata.normalize("NFKC", text))))


def _examples(words: Counter[str]) -> str:
    return " ".join(word[:30] for word, _ in words.most_common(EXAMPLES))


if __name__ == "__main__":
    main()
