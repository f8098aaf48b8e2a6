"""In which encoding a text is read that is not UTF-8, and what is said of it."""

from pathlib import Path

import pytest

from graphrag_neo4j.documents import ReadOptions, Remark, Unreadable, read
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.index.corpus import Corpus
from graphrag_neo4j.model.types import Document

WORDS = {
    "English": "“It’s naïve,” she said — in the café of the Hôtel Zürich, for £5, near El Niño.",
    "French": "Le naïf élève français a mangé une crème brûlée à l'hôtel.",
    "German": "Größe und Maß der Bäume im Süden.",
    "Portuguese": "Não há informação disponível sobre a situação.",
    "Icelandic": "Það er gott veður í dag og við förum út að ganga.",
    "Polish": "Wczoraj kupiłem świeży chleb i żółty ser w małym sklepie na rogu.",
    "Czech": "Příliš žluťoučký kůň úpěl ďábelské ódy. Včera jsem byl doma a četl jsem knihu.",
    "Hungarian": "Tegnap este a barátommal főztünk egy nagyon finom gulyást. Erős fű.",
    "Turkish": "Bugün hava çok güzel, İstanbul'da kış şartları ağır değil.",
    "Lithuanian": "Šiandien yra gražus oras, mes einame į parką ir žiūrime paukščius.",
    "Russian": "Привет, мир! Это простой русский текст о погоде в Москве.",
    "Greek": "Αυτό είναι ένα ελληνικό κείμενο για τον καιρό.",
    "Japanese": "これは日本語の文章です。東京は今日も晴れています。カタカナもあります。",
    "Simplified Chinese": "这是一个简体中文的句子。今天北京的天气很好，我们去公园。",
    "Traditional Chinese": "這是一個繁體中文的句子。今天台北的天氣很好，我們去公園。",
    "Korean": "이것은 한국어 문장입니다. 오늘 서울의 날씨는 맑습니다.",
}
ENCODED = [
    *(("French", one) for one in ("latin-1", "cp850", "mac_roman", "utf-16-le", "utf-16-be")),
    *(("French", "utf-32-le"), ("English", "cp1252"), ("German", "latin-1")),
    *(("Portuguese", "latin-1"), ("Icelandic", "latin-1"), ("Hungarian", "iso8859-2")),
    *((one, of) for one in ("Polish", "Czech") for of in ("iso8859-2", "cp1250")),
    *(("Turkish", "cp1254"), ("Lithuanian", "cp1257"), ("Greek", "iso8859-7")),
    *(("Russian", "cp1251"), ("Russian", "koi8-r"), ("Korean", "euc_kr")),
    *(("Japanese", one) for one in ("shift_jis", "euc_jp", "iso2022_jp", "utf-16-le")),
    *(("Simplified Chinese", "gb18030"), ("Traditional Chinese", "big5")),
]


def text_in(path: Path, options: ReadOptions | None = None) -> str:
    [document] = read(path, options or ReadOptions())
    assert isinstance(document, Document), document
    return document.text


def test_words_are_read_in_their_encoding_and_bytes_that_are_no_text_are_unreadable(
    tmp_path: Path,
) -> None:
    texts = [
        (f"{WORDS[language]}\n" * n, encoding) for language, encoding in ENCODED for n in (1, 30)
    ]
    single = ["naïve", "à", "All of it is plain.\n" * 20_000 + "naïve"]
    for text, encoding in [*texts, *((one, "latin-1") for one in single)]:
        (tmp_path / "a.txt").write_bytes(text.encode(encoding))
        assert text_in(tmp_path / "a.txt") == text, encoding
    for no_text in (b"\x81\x00\x8d\xff" * 40, bytes(range(256)) * 40):
        (tmp_path / "a.txt").write_bytes(no_text)
        [problem] = read(tmp_path / "a.txt", ReadOptions())
        assert isinstance(problem, Unreadable)
        assert "not text in UTF-8" in problem.reason


def test_bytes_that_are_not_of_the_encoding_are_counted_and_the_rest_is_read(
    tmp_path: Path,
) -> None:
    """A log with lines from elsewhere, texts that were cut, and one wrong byte."""
    line, other = "Anna Müller met Søren in Köln.\n", "Jürgen kaufte 5 Äpfel.\n"
    texts = [
        ((line * 20 + "~ one\n").replace("~", "\udcff").encode("utf-8", "surrogateescape"), 1),
        ((line * 20).encode() + (other * 2).encode("cp1252") + line.encode(), 4),
        (("日本の首都は東京である。" * 30).encode()[:-2], 1),
        (("日本の首都は東京である。" * 3_000_000).encode()[: 1 << 20], 1),
        (line.encode("utf-16") + b"a", 1),
        (line.encode("utf-16-be") + b"a", 1),
    ]
    for data, n in texts:
        (tmp_path / "a.log").write_bytes(data)
        remarks: list[Remark] = []
        [document] = read(tmp_path / "a.log", ReadOptions(), remarks.append)
        assert isinstance(document, Document)
        assert document.text.count("\ufffd") == n
        assert [one.n for one in remarks if "were read as \ufffd" in one.sentence] == [n]
    (tmp_path / "a.log").write_bytes(texts[1][0])
    named = ReadOptions(encoding="cp1252")
    assert "JÃ¼rgen" not in text_in(tmp_path / "a.log", named)
    assert "kaufte 5 Äpfel" in text_in(tmp_path / "a.log", named)


# By encoding: words in it, and labels that pages declare it by.
PAGES = [
    ("cp866", "Russian", "866 ibm866 csibm866"),
    ("iso8859-2", "Polish", "latin2 iso-8859-2 iso88592 ISO_8859-2:1987 csisolatin2"),
    ("iso8859-5", "Russian", "cyrillic iso-8859-5 iso-ir-144 iso88595"),
    ("iso8859-7", "Greek", "greek iso-8859-7 ecma-118 sun_eu_greek"),
    ("iso8859-13", "Lithuanian", "iso-8859-13 iso885913"),
    ("iso8859-15", "French", "l9 iso-8859-15 csisolatin9"),
    ("koi8-r", "Russian", "koi koi8 koi8-r"),
    ("mac-roman", "French", "mac macintosh x-mac-roman"),
    ("mac-cyrillic", "Russian", "x-mac-cyrillic x-mac-ukrainian"),
    ("cp1250", "Czech", "windows-1250 x-cp1250"),
    ("cp1251", "Russian", "Windows-1251 cp1251"),
    ("cp1252", "English", "latin1 iso-8859-1 us-ascii ascii windows-1252"),
    ("cp1254", "Turkish", "iso-8859-9 latin5 windows-1254"),
    ("gb18030", "Simplified Chinese", "gb2312 gbk x-gbk gb_2312-80 gb18030"),
    ("big5", "Traditional Chinese", "big5 big5-hkscs cn-big5"),
    ("euc_jp", "Japanese", "euc-jp x-euc-jp"),
    ("cp932", "Japanese", "shift_jis x-sjis windows-31j ms_kanji"),
    ("iso2022_jp", "Japanese", "iso-2022-jp"),
    ("cp949", "Korean", "euc-kr ks_c_5601-1987 korean windows-949"),
    ("utf-8", "Japanese", "utf-8 utf-16 latin1 gb2312"),  # it is UTF-8, whatever it declares
    ("cp1251", "Russian", "nonsense utf-8"),
]


def test_a_page_is_read_in_the_charset_that_it_declares(tmp_path: Path) -> None:
    forms = (
        "<meta charset='{}'><title>{}</title><p>{}",
        "<META http-equiv=Content-Type content='text/html; charset={}'><title>{}</title><p>{}",
        '<?xml version="1.0" encoding="{}"?><html><head><title>{}</title></head>{}</html>',
    )
    for encoding, language, labels in PAGES:
        for label in labels.split():
            for form in forms:
                page = form.format(label, WORDS[language], WORDS[language])
                (tmp_path / "a.xhtml").write_bytes(page.encode(encoding))
                assert text_in(tmp_path / "a.xhtml") == WORDS[language], label
    (tmp_path / "a.html").write_bytes(b"<meta charset=latin1><p>na\xefve")
    assert text_in(tmp_path / "a.html", ReadOptions(encoding="cp1257")) == "naļve"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_byte_order_mark_is_no_text(tmp_path: Path, encoding: str) -> None:
    for name, begin, end in (("a.txt", "", ""), ("a.jsonl", '{"text": "', '"}')):
        (tmp_path / name).write_bytes((begin + WORDS["Japanese"] + end).encode(encoding))
        assert text_in(tmp_path / name) == WORDS["Japanese"]


def test_a_named_encoding_counts_for_what_is_not_utf_8(tmp_path: Path) -> None:
    options = ReadOptions(encoding="cp1257")
    (tmp_path / "a.txt").write_bytes("naļve".encode("cp1257"))
    (tmp_path / "b.txt").write_text("naïve", encoding="utf-8")
    assert text_in(tmp_path / "a.txt", options) == "naļve"
    assert text_in(tmp_path / "b.txt", options) == "naïve"
    [problem] = read(tmp_path / "a.txt", ReadOptions(encoding="euc_jp"))
    assert isinstance(problem, Unreadable)
    assert "not text in euc_jp" in problem.reason
    for name in ("latin-99", "rot13", "x\0"):
        with pytest.raises(InputError, match="There is no encoding"):
            ReadOptions(encoding=name)


async def test_the_encodings_that_were_guessed_are_said_with_the_files(tmp_path: Path) -> None:
    for name in "abcdefg":
        (tmp_path / f"{name}.txt").write_bytes("naïve".encode("latin-1"))
    (tmp_path / "h.txt").write_bytes(WORDS["Russian"].encode("cp1251"))
    (tmp_path / "i.txt").write_text(WORDS["Russian"], encoding="utf-8")
    corpus = Corpus.of_paths([tmp_path], ReadOptions())
    assert len([document async for document in corpus.documents()]) == 9
    cyrillic, western = corpus.notices()
    assert "cp1251" in cyrillic
    assert str(tmp_path / "h.txt") in cyrillic
    assert "7 files" in western
    assert "cp1252" in western
    assert "--encoding" in western
    named = Corpus.of_paths([tmp_path / "a.txt"], ReadOptions(encoding="latin-1"))
    assert [document.text async for document in named.documents()] == ["naïve"]
    assert named.notices() == []
