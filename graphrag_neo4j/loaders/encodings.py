"""Finds the encoding of a text file: UTF-8 if the bytes allow it, else the best fit.

A file of another encoding does not say so, and nearly every sequence of bytes is a text in several
encodings. Latin letters are decided here, by the alphabets of the languages that are written with
them: the same byte is "ï" in one encoding and "ļ" in another, but only one of the two makes words
of a language whose other letters are there, too. charset-normalizer decides all other scripts.
"""

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE, getincrementaldecoder
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO
from unicodedata import category

__all__ = ["UTF8", "encoding_in", "is_encoding"]

UTF8 = "utf-8-sig"  # a byte order mark is not text
BLOCK = 1 << 20
# The mark of UTF-32 in little-endian order begins with that of UTF-16.
MARKED = {
    BOM_UTF32_LE: "utf_32",
    BOM_UTF32_BE: "utf_32",
    BOM_UTF16_LE: "utf_16",
    BOM_UTF16_BE: "utf_16",
}
WIDE = ("utf_32_le", "utf_32_be", "utf_16_le", "utf_16_be")
ESCAPE = b"\x1b"
JAPANESE_SHIFT = ESCAPE + b"$"  # begins Japanese in ISO-2022-JP, whose bytes are all ASCII
OTHER_SCRIPTS = [
    *("cp1251", "koi8_r", "iso8859_5", "cp866", "cp1253", "iso8859_7", "cp1255", "cp1256"),
    *("cp874", "cp932", "euc_jp", "gb18030", "big5", "cp949"),
]
# The letters beyond ASCII of each language.
WESTERN = (
    *("àâæçéèêëîïôœùûüÿ", "äöüß", "áéíóúüñ", "áâãàçéêíóôõúü", "àèéìîòóù", "æøåéèêóòôäöü"),
    *("åäöéü", "éëïóöüèêáç", "áðéíóúýþæö", "àçéèíïóòúü", "àèìòùáéíóú", "äöõüšž", "ëç"),
)
CENTRAL = ("áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "ąćęłńóśźż", "ăâîşţșț", "čćđšž")
TURKISH = ("çğıöşüâîûİ",)
BALTIC = ("ąčęėįšųūž", "āčēģīķļņšūž", "äöõüšž")
LATIN: Mapping[str, Sequence[str]] = {
    "cp1252": WESTERN,
    "cp1250": CENTRAL,
    "iso8859_2": CENTRAL,
    "cp1254": TURKISH,
    "cp1257": BALTIC,
    "mac_roman": WESTERN,
    "cp850": WESTERN,
    "cp852": CENTRAL,
}
SIGNS = "“”„‘’‚‹›«»–—…¿¡°§£€©®™•·ºª½¼¾×±²³´\xa0\xad"
WITHIN_WORDS = "’–—·\xa0\xad"
SIGN_IN_WORD = re.compile(rf"(?<=[^\W\d_])[^\w\s\x00-\x7f{WITHIN_WORDS}](?=[^\W\d_])")
WORD_BEYOND_ASCII = re.compile(r"[^\W\d_]*[^\W\d_\x00-\x7f][^\W\d_]*")
SPACE = frozenset("\t\n\v\f\r\x85")
UNUSUAL = frozenset(("Cc", "Cn", "Co", "Cs"))  # control characters, unassigned code points
SURE = 0.9  # share of the letters beyond ASCII that one alphabet has
MIXED = 0.3  # share of ASCII letters in Latin words that have others, too


def is_encoding(name: str) -> bool:
    """Whether Python has a text encoding of this name."""
    try:
        b"a".decode(name)  # Python does not look at the name for no bytes
    except UnicodeDecodeError:
        return True
    except (LookupError, ValueError):
        return False
    return True


def encoding_in(path: Path, named: str | None) -> str | None:
    """Finds the encoding of a text file; `named` is that of files that are not UTF-8, if known.

    Returns None if no encoding fits the bytes. Raises OSError.
    """
    with path.open("rb") as file:
        for mark, encoding in MARKED.items():
            if file.read(4).startswith(mark):
                return encoding
            file.seek(0)
        valid, place = _look_through(file)
        if place is None:
            return UTF8
        if named:
            return named
        sample = _lines_around(file, place)
    return _wide(sample) or _japanese(sample) or (UTF8 if valid else _guess(sample))


def _look_through(file: BinaryIO) -> tuple[bool, int | None]:
    """Whether a file is valid UTF-8, and the place of its first block that may not be.

    NUL and the shift to Japanese are possible in UTF-8, but a sign of another encoding.
    """
    decoder = getincrementaldecoder("utf-8")()
    place, suspect = 0, None
    try:
        while block := file.read(BLOCK):
            decoder.decode(block)
            if suspect is None and (b"\0" in block or _shifts_to_japanese(block)):
                suspect = place
            place += len(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False, place if suspect is None else suspect
    return True, suspect


def _shifts_to_japanese(block: bytes) -> bool:
    # Python finds a single byte eighty times as fast as two, and this one is in hardly any text.
    return ESCAPE in block and JAPANESE_SHIFT in block


def _lines_around(file: BinaryIO, place: int) -> bytes:
    """The block at this place, with some whole lines before and after it."""
    start = max(0, place - BLOCK // 4)
    file.seek(start)
    sample = file.read(place - start + BLOCK + BLOCK // 4)
    if start:
        sample = sample.partition(b"\n")[2] or sample
    return (sample.rpartition(b"\n")[0] or sample) if file.read(1) else sample


def _wide(sample: bytes) -> str | None:
    """UTF-16 or UTF-32 without a byte order mark, if all decoded characters are usual ones.

    Some of them must be ASCII, such as line breaks: other files decode to rare characters.
    """
    if b"\0" not in sample:
        return None
    for encoding in WIDE:
        try:
            text = getincrementaldecoder(encoding)().decode(sample)
        except UnicodeDecodeError:
            continue
        usual = not any(category(character) in UNUSUAL for character in set(text) - SPACE)
        if usual and any(map(str.isascii, text)):
            return encoding
    return None


def _japanese(sample: bytes) -> str | None:
    if not _shifts_to_japanese(sample):
        return None
    return "iso2022_jp" if _decoded(sample, "iso2022_jp") else None


def _guess(sample: bytes) -> str | None:
    if b"\0" in sample:
        return None  # no text
    return _latin(sample) or _by_detector(sample)


def _latin(sample: bytes) -> str | None:
    """The first encoding in which the words have only letters of one language.

    If there is none, a mixture of western languages is assumed, but only if no word contains a sign
    in the place of a letter.
    """
    texts = {name: _decoded(sample, name) for name in LATIN}
    shares = {name: _share(text, LATIN[name]) for name, text in texts.items() if text}
    best = max(shares, key=lambda name: shares[name], default="")
    if best and shares[best] >= SURE:
        return best
    mixture = texts["cp1252"]
    return "cp1252" if mixture and _share(mixture, ["".join(WESTERN)]) >= SURE else None


def _share(text: str, alphabets: Sequence[str]) -> float:
    """The share (0 to 1) of usual signs and letters of one alphabet among non-ASCII characters."""
    words = "".join(word for word in WORD_BEYOND_ASCII.findall(text) if len(word) > 1)
    if words and sum(map(str.isascii, words)) < MIXED * len(words):
        return 0.0
    beyond = Counter(character.lower() for character in text if not character.isascii())
    misplaced = len(SIGN_IN_WORD.findall(text)) + _capitals_within_words(text)
    signs = sum(beyond[sign] for sign in SIGNS) - misplaced
    letters = max(sum(beyond[letter] for letter in alphabet) for alphabet in map(set, alphabets))
    return (signs + letters) / beyond.total()


def _capitals_within_words(text: str) -> int:
    return sum(
        not after.isascii() and before.islower() and after.isupper()
        for before, after in pairwise(text)
    )


def _by_detector(sample: bytes) -> str | None:
    """The encoding that charset-normalizer finds, other scripts than Latin first."""
    from charset_normalizer import from_bytes  # noqa: PLC0415 - rarely needed

    best = from_bytes(sample, cp_isolation=OTHER_SCRIPTS).best() or from_bytes(sample).best()
    return best.encoding if best else None


def _decoded(sample: bytes, encoding: str) -> str | None:
    try:
        return sample.decode(encoding)
    except UnicodeDecodeError:
        return None
