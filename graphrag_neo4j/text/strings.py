"""Text from documents and models: storable text, names, quotations, and ids made from content.

Also how an amount of money is written.
"""

import hashlib
import json
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate
from math import ceil
from typing import Literal

# Direction marks, embeddings, overrides and isolates; tags; and characters without width that no
# script needs. Joiners are kept, because Persian, Hindi and emoji need them. A part of a pattern.
UNSEEN = (
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
)
_UNSEENS = re.compile(f"[{UNSEEN}]")
# What no name needs, either: controls, the soft hyphen, fillers and selectors of variants; and
# joiners beside Latin, Greek or Cyrillic letters. White space is folded.
_UNNAMED = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u115f\u1160\u180b-\u180f\u2800\u3164\uffa0"
    f"\ufe00-\ufe0f\U000e0100-\U000e01ef{UNSEEN}]"
    "|(?<![^\x00-\u052f])[\u200c\u200d]+(?![^\x00-\u052f])"
)
# Other forms of letters and digits, in which nobody searches: ligatures, those of Arabic, and those
# of full and half width.
_FORMS = re.compile(
    "[\ufb00-\ufb06\ufb13-\ufb17\ufb50-\ufbb1\ufbd3-\ufd3d\ufd50-\ufdf9\ufe70-\ufefc"
    "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uff9f]+"
)
# Letters in parts: marks after their letters, Korean syllables; and doubles of other letters.
_IN_PARTS = re.compile(
    "[\u0300-\u036f\u0653-\u0655\u3099\u309a\u1100-\u11ff\u2126\u212a\u212b\uf900-\ufaff]"
)
# The hyphen in a word that the end of a line divides, and the soft hyphen.
_DIVIDED = re.compile(r"(?<=[^\W\d_])[-\u2010\xad][ \t]*\n[ \t]*(?=[a-zß-öø-ÿа-яα-ω])|\xad")
NO_VALUES = (
    *("none", "null", "nil", "n/a", "n.a.", "unknown", "undefined", "unspecified"),
    *("not specified", "not applicable", "not available"),
)
INDEXED_BYTES = 2000
"""Bytes of UTF-8. An index of Neo4j takes 8,000, and the key of a name may have three times more
than the name."""
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_QUOTES = str.maketrans({**dict.fromkeys("“”„‟«»″", '"'), **dict.fromkeys("‘’‚‛′`´", "'")})
# A quotation may differ from its document in these characters: in its kind of quotation marks, and
# in the brackets of citations, which are neutralised where a document is quoted.
_ALIKE = _QUOTES | str.maketrans("⟦⟧［］﹇﹈【】❨❩（）", "[][][][]()()")
_SPACE = re.compile(r"\s+")
CODE = "\xa0   "
"""What begins a line of code, where a format tells it from prose; it gives no entities."""
# Words after which a full stop does not end the sentence; a part of a regular expression.
ABBREVIATIONS = (
    r"Dr|Mr|Mrs|Ms|St|Prof|Jr|Sr|vs|No|Nr|ca|etc|e\.g|i\.e|z\.B|bzw|Abs|Hr|Fr|Inc|"
    r"Ltd|Co|Corp|Gen|Sen|Rep|Gov|Capt|Lt|Col|Mt|Ft|Pt|Ste|Sgt|Cpl|Pvt|Maj|Adm|Cmdr|Brig|Rev|Cllr|al"
)
_ABBREVIATED = re.compile(rf"(?<!\w)(?:{ABBREVIATIONS}|[^\W\d_a-z]|\d{{1,2}})$")
_WORD = re.compile(r"\S+")
_SEARCHED = re.compile(r"\w+")
_OPERATORS = {"AND": "and", "OR": "or", "NOT": "not"}  # of a full-text query
_MOST_MARKS = 30  # combining marks in a row: no language has more (Unicode, UAX 15, section 13)
_JOINER = "\u034f"  # the combining grapheme joiner, which Unicode puts between longer rows
# A capitalised or very short word with a full stop is taken for an abbreviation: "Inc.", "J. B.".
_SENTENCE_END = re.compile(r"(?<!\w)[^\W\d_A-Z]{3,}\.(\s|$)|[!?！？…](\s|$)|[。｡]")
# Chinese characters and hiragana; Thai, Lao, Burmese and Khmer.
_EAST = "\u3005-\u3007\u3040-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SOUTH_EAST = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_UNSPACED = re.compile(f"[{_EAST}{_SOUTH_EAST}]")
# The average number of characters of a word in scripts without spaces.
_CHARACTERS_OF_A_WORD = ((re.compile(f"[{_EAST}]"), 2.5), (re.compile(f"[{_SOUTH_EAST}]"), 5))
_MOST_WORDS = 8  # in a name


def storable(text: str) -> tuple[str, int]:
    """The text with NUL and lone surrogates replaced by U+FFFD, and the number of replacements."""
    return _UNSTORABLE.subn("\ufffd", text)


def without_unseen(text: str) -> str:
    """The text without the invisible characters that a terminal is never sent.

    Whatever looks for citations must read a text without them, as a person does.
    """
    return _UNSEENS.sub("", text)


def fold(text: str) -> str:
    """The text in Unicode NFKC, trimmed, with one kind of quotation marks and single spaces."""
    # Quotes are replaced before NFKC, too: it makes an acute accent a space and a combining accent.
    plain = _normalized(text.translate(_QUOTES)).translate(_QUOTES)
    return _SPACE.sub(" ", plain).strip()


def clean_name(text: str) -> str:
    """A name in its display form: folded, without quotation marks around it and the unseen."""
    return fold(_UNNAMED.sub("", text)).strip("\"'` ")


def is_name(text: str) -> bool:
    """Whether a text can be a name: it has a letter or a digit, and isn't a word for no value.

    >>> is_name("C++"), is_name("---"), is_name("N/A"), is_name("<unknown>")
    (True, False, False, False)
    """
    key = fold(text).casefold()
    return any(map(str.isalnum, text)) and not {key, key.strip("<>()[]{}'\"")} & {*NO_VALUES}


def is_indexable(text: str, most: int = INDEXED_BYTES) -> bool:
    """Whether a text has at most this number of bytes. Neo4j refuses a longer one in an index."""
    return len(text) <= most and len(text.encode(errors="surrogatepass")) <= most


def legible(text: str) -> str:
    """The text as a person reads it, for search and display.

    A word that is divided at the end of a line is whole, signs that nobody sees are left out, and
    letters are in their usual form: an accent belongs to its letter, and a ligature is letters.

    >>> legible("The finan-\\ncial year\u200b of Jean-\\nPaul: \ufb01nished")
    'The financial year of Jean-\\nPaul: finished'
    """
    if text.isascii() and "\n" not in text:
        return text
    plain = _DIVIDED.sub("", _UNSEENS.sub("", text))
    plain = _FORMS.sub(lambda found: unicodedata.normalize("NFKC", found[0]), plain)
    return _normalized(plain, "NFC") if _IN_PARTS.search(plain) else plain


def searched_words(text: str) -> list[str]:
    """The words of a text, each once, as a full-text query asks for them.

    They are written as in `legible`, which is what the indexes hold, and Neo4j's analyser lowers
    and stems both alike. In Python "ß" would become "ss", and the Turkish "I" another letter than
    in the index. Only what would be an operator is lowered here.

    >>> searched_words('die Maßnahmen OR "Die" A\u0308mter?')
    ['Die', 'Maßnahmen', 'or', 'Ämter']
    """
    words = _SEARCHED.findall(legible(text))
    return list({word.casefold(): _OPERATORS.get(word, word) for word in words}.values())


def without_capitals(text: str) -> str:
    """A text in capitals alone in lower case, because they tell nothing; any other as it is.

    >>> without_capitals("WORK OF ART"), without_capitals("Maßnahme")
    ('work of art', 'Maßnahme')
    """
    return text.lower() if text.isupper() else text


def flat(value: object) -> str:
    """A value as one line of text; an empty text for None."""
    return " ".join(str(value or "").split())


def without_possessive(word: str) -> str:
    """A word without the English ending of the possessive.

    >>> without_possessive("Ada's"), without_possessive("Ada’s"), without_possessive("James")
    ('Ada', 'Ada', 'James')
    """
    return word.removesuffix("'s").removesuffix("’s")


def fold_prose(text: str) -> str:
    """A model's prose as storable text, each paragraph on one line, without the unseen."""
    lines = (" ".join(line.split()) for line in storable(without_unseen(text))[0].splitlines())
    return "\n".join(line for line in lines if line)


def name_key(name: str) -> str:
    """The key that two spellings of one name share: folded, without case and signs nobody sees.

    >>> name_key("  Jacob  MARLEY’s ghost")
    "jacob marley's ghost"
    """
    return _normalized(fold(_UNNAMED.sub("", name)).casefold())


def spaced_characters(text: str) -> str:
    """The text with a space on both sides of each character of a script without spaces.

    These are the scripts of Chinese, Japanese, Thai, Lao, Burmese and Khmer. Katakana is left as it
    is: it writes foreign words, and the characters around it show where such a word ends.

    >>> spaced_characters("Scrooge是谁").split()
    ['Scrooge', '是', '谁']
    """
    return _UNSPACED.sub(r" \g<0> ", text)


def counted(n: int, one: str, many: str | None = None) -> str:
    """Returns a number with its noun.

    >>> counted(1, "file"), counted(2000, "file"), counted(0, "entity", "entities")
    ('1 file', '2,000 files', '0 entities')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def number_of_words(text: str) -> int:
    """The number of words of a text; in scripts without spaces, it is estimated.

    >>> number_of_words("Ebenezer Scrooge"), number_of_words("北京大学")
    (2, 2)
    """
    estimated = sum(
        len(script.findall(text)) / characters for script, characters in _CHARACTERS_OF_A_WORD
    )
    return len(_UNSPACED.sub(" ", text).split()) + ceil(estimated)


def looks_like_name(text: str) -> bool:
    """Whether a claim's subject or object can be a name: short, no quotation, no sentence."""
    folded = fold(text)
    return (
        is_name(text)
        and is_indexable(text)
        and 0 < number_of_words(folded) <= _MOST_WORDS
        and '"' not in folded
        and not _SENTENCE_END.search(folded)
        and any(c.isalpha() for c in folded)
    )


def find_quote(quote: str, text: str) -> tuple[int, int] | None:
    """The place of `quote` in `text` as characters [start, end), None if it is not there.

    White space, kinds of quotation marks and neutralised brackets make no difference.
    """
    wanted = " ".join(quote.translate(_ALIKE).split())
    folded, starts, places = _folded(text)
    at = folded.find(wanted) if wanted else -1
    if at < 0:
        return None

    def place(character: int) -> int:
        word = bisect_right(starts, character) - 1
        return places[word] + character - starts[word]

    return place(at), place(at + len(wanted) - 1) + 1


@lru_cache(256)  # many quotations are looked for in the same chunk
def _folded(text: str) -> tuple[str, list[int], list[int]]:
    """The text with single spaces and one kind of quotes, and the places where its words begin:
    in this form and in the text itself. Within a word, one character stays one character."""
    words = [*_WORD.finditer(text.translate(_ALIKE))]
    starts = [0, *accumulate(len(word[0]) + 1 for word in words)][: len(words)]
    return " ".join(word[0] for word in words), starts, [word.start() for word in words]


def _normalized(text: str, form: Literal["NFC", "NFKC"] = "NFKC") -> str:
    """The text in a form of Unicode. Long rows of combining marks are divided: sorting them would
    take long."""
    if text.isascii():
        return text
    in_row, parts = 0, []
    for character in text:
        before, after, whole = _marks(character)
        in_row = in_row + before if whole else before
        if whole and in_row > _MOST_MARKS:
            parts.append(_JOINER)
            in_row = before
        parts.append(character)
        in_row = in_row if whole else after
    return unicodedata.normalize(form, "".join(parts))


@cache
def _marks(character: str) -> tuple[int, int, bool]:
    """The numbers of combining marks at the start and the end of a decomposed character, and
    whether it consists of combining marks alone."""
    marks = [unicodedata.combining(part) > 0 for part in unicodedata.normalize("NFKD", character)]
    before = next((i for i, mark in enumerate(marks) if not mark), len(marks))
    after = next((i for i, mark in enumerate(reversed(marks)) if not mark), len(marks))
    return before, after, before == len(marks)


def shortened(text: str, limit: int, count: Callable[[str], int]) -> str:
    """The text, or its beginning of at most `limit` tokens.

    It is cut after a sentence, or after a word if no sentence fits. `count` gives the number of
    tokens of a text.
    """
    while (size := count(text)) > limit:
        text = text[: min(len(text) - 1, len(text) * limit // size)]
        ends = [text.rfind(stop) + len(stop.strip()) for stop in ("! ", "? ", "。", "\n")]
        end = max(*ends, _last_full_stop(text) + 1)
        text = text[:end] if end > 0 else text.rpartition(" ")[0] or text
    return text


def excerpt(text: str, limit: int) -> str:
    """The beginning of a text on one line, in at most `limit` characters.

    It ends with " …" where text is left out.
    """
    line = flat(text)
    short = shortened(line, limit, len)
    return short if short == line else f"{shortened(line, limit - 2, len)} …"


def _last_full_stop(text: str) -> int:
    """The place of the last full stop that ends a sentence; -1 if there is none."""
    at = text.rfind(". ")
    while at >= 0 and _ABBREVIATED.search(text[max(0, at - 9) : at]):
        at = text.rfind(". ", 0, at)
    return at


def money(dollars: float | None) -> str:
    """An amount of US dollars as text: two decimals from $1 on, four below.

    >>> money(0), money(0.01), money(1234.5), money(None)
    ('$0', '$0.0100', '$1,234.50', 'unknown cost')
    """
    if not dollars:
        return "unknown cost" if dollars is None else "$0"
    return f"${dollars:,.2f}" if dollars >= 1 else f"${dollars:.4f}"


# Ids: the same parts give the same id on every machine and in every run


BLOCK = 1_000_000  # characters of a part that are hashed at once


def identify(kind: str, *parts: str | int) -> str:
    """Returns 32 hex digits that identify a thing of this kind with these parts (BLAKE2b).

    >>> identify("entity", "ebenezer scrooge")
    '108fa925829e518595870fdf109a0a34'
    """
    hashed = hashlib.blake2b(digest_size=16)
    for piece in _json([kind, *parts]):
        hashed.update(piece.encode())
    return hashed.hexdigest()


def _json(parts: Sequence[str | int]) -> Iterator[str]:
    """The pieces of the parts as a list in JSON, which keeps ("a", "bc") and ("ab", "c") apart.

    A part may be a text of a gigabyte, so a long one is never copied as a whole.
    """
    if all(isinstance(part, int) or len(part) <= BLOCK for part in parts):
        yield json.dumps(parts, ensure_ascii=False)
        return
    for number, part in enumerate(parts):
        yield ", " if number else "["
        if isinstance(part, int):
            yield str(part)
            continue
        yield '"'
        for start in range(0, len(part), BLOCK):
            yield json.dumps(part[start : start + BLOCK], ensure_ascii=False)[1:-1]
        yield '"'
    yield "]"


def entity_id(name: str) -> str:
    """The id of the entity with this name.

    Spellings with one `name_key` share an id, but a name without capitals has a different one:
    "Apple" and "APPLE" are one spelling, and "apple" is another.
    """
    return entity_ids(name)[0]


@lru_cache(maxsize=10_000)  # a name is looked for again and again while its chunk is read
def entity_ids(name: str) -> tuple[str, str]:
    """The id of a name as it is written, and the id that it has with, or without, capitals."""
    key = name_key(name)
    ids = identify("entity", key), identify("entity", key, "lower")
    return (ids[1], ids[0]) if fold(name).islower() else ids


def pair_id(one: str, other: str) -> str:
    """The id of the pair of two entities, given in either order."""
    return identify("related", *sorted((one, other)))
