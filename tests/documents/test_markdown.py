"""Markdown is read as it renders; what its front matter and its name say is metadata."""

from pathlib import Path

import pytest

from graphrag_neo4j.documents import ReadOptions, Remark, read
from graphrag_neo4j.model.types import Document
from graphrag_neo4j.text.strings import CODE

SEEN = f"""Minutes of April 5

Ada Lovelace met Charles Babbage at the Royal Institution.

PEP 8 is a quotation that an editor has wrapped.

- one
- two with a footnote[1]

1. first
2. second

Name | Link
Ada | her page

Alan and Grace Hopper

Summary

Words of a page.

{CODE}pip install x
{CODE}    [not a link](y)

[1]: Note

Set off

A photograph"""
WRITTEN = """# Minutes of *April 5*

[Ada Lovelace](https://example.org/ada "a title") met
**Charles Babbage** at the [Royal Institution][ri].

> [PEP 8](https://peps.python.org/pep-0008/) is a quotation
that an editor has wrapped.

* one
* two with a footnote[^1]

1. first
1. second

| Name | Link |
|------|------|
| Ada  | [her page](https://example.org) |

[[Alan]] and [[People/Grace|Grace Hopper]]![[photo.png]]

<details><summary>Summary</summary><p>Words <!-- none --> of a page.</p></details>

```sh
pip install x
    [not a link](y)
```

[^1]: Note
[ri]: https://example.org/ri

Set off
-------

![A photograph](a.png)
"""


def document_in(path: Path, content: str) -> tuple[Document, list[Remark]]:
    path.write_text(content, "utf-8")
    remarks: list[Remark] = []
    [document] = read(path, ReadOptions(source_root=path.parent), remarks.append)
    assert isinstance(document, Document)
    return document, remarks


def test_the_text_is_that_of_the_rendered_page(tmp_path: Path) -> None:
    document, remarks = document_in(tmp_path / "a.md", WRITTEN)
    assert document.text == SEEN
    assert document.title == "Minutes of April 5"
    assert document.metadata == {"links": ["Alan", "People/Grace"]}
    assert remarks == []
    deep = "> " * 60 + "deep down"
    assert document_in(tmp_path / "a.markdown", deep)[0].text == "deep down"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("intro\n\n## The *first* ##\n# Second\n", "Second"),
        ("## First\n\n# One\n\n# Two\n", "First"),
        ("Set by a line\n=====\n", "Set by a line"),
        ("#hashtag not a heading\n\n# Real\n", "Real"),
        ("   # Indented Title\n\nx\n", "Indented Title"),
        ("```bash\n# install the thing\n```\n\n# Real Title\n", "Real Title"),
        ("#hashtag\n\n- no heading\n---\n", "a.md"),
        ("---\ntitle: From above\n---\n# One\n", "From above"),
        ("---\ntitle: 1984\n---\nText\n", "1984"),
    ],
)
def test_the_title_is_stated_or_the_only_heading_of_its_level(
    tmp_path: Path, text: str, title: str
) -> None:
    assert document_in(tmp_path / "a.md", text)[0].title == title


def test_front_matter_is_metadata_and_no_text(tmp_path: Path) -> None:
    front = "author: Jane Doe\n# a comment\ndate: 2021-12-08\ntags: [a, b]\nn: 3\nnone:\n"
    document, remarks = document_in(tmp_path / "2020-01-02.md", f"---\n{front}---\n\nBody\n")
    assert document.text == "Body"
    stated = {"author": "Jane Doe", "date": "2021-12-08", "tags": ["a", "b"], "n": 3}
    assert (document.metadata, remarks) == (stated, [])
    for front in ("a: [1", "title: Meeting: kickoff on 2021-04-05", "a: &a [*a]"):
        document, [remark] = document_in(tmp_path / "a.md", f"---\n{front}\n---\n\nBody\n")
        assert "front matter" in remark.sentence
        assert (document.text.endswith("\n\nBody"), document.title) == (True, "a.md")
        assert document.metadata == {}
    front = "zip: 01067\ntime: 10:30\nlang: no\nday: 2021-02-30\nok: true\nx: 1.5\n"
    front += "Title: T\nempty: ''\n"
    document, remarks = document_in(tmp_path / "a.md", f"---\n{front}---\n# H\n")
    seen: dict[str, object] = {"ok": True, "x": 1.5, "day": "2021-02-30"}
    seen |= {"zip": "01067", "time": "10:30", "lang": "no"}
    assert (document.metadata, document.title, remarks) == (seen, "T", [])
    front = "title = 'My Post'\ndate = 2021-04-05\ntags = ['a']\n"
    document, _ = document_in(tmp_path / "a.md", f"+++\n{front}+++\n\nBody.")
    assert (document.text, document.title) == ("Body.", "My Post")
    assert document.metadata == {"date": "2021-04-05", "tags": ["a"]}
    document, remarks = document_in(tmp_path / "a.md", "---\nA text between rules.\n\n---\nBody\n")
    assert (document.text, remarks) == ("A text between rules.\n\nBody", [])


def test_what_vaults_and_sites_write_is_read_as_they_show_it(tmp_path: Path) -> None:
    for written, seen in (
        ("> [!NOTE]\n> Acme sold X.", "Note\n\nAcme sold X."),
        ("> [!info]- Ada\n> Born in London.", "Ada\n\nBorn in London."),
        ("a[^n]\n\n[^n]: First.\n\n    Second.\n", "a[n]\n\n[n]: First. Second."),
        ("$f^*(x) + g^*(y)$ for $5 and $6 or $7", "$f^*(x) + g^*(y)$ for $5 and $6 or $7"),
        ("[[#Heading]] ![[a.pdf#page=3]] [[_TOC_]]", "Heading"),
        ("| a | | c |\n|-|-|-|\n| | | 3 |", "a |  | c\n |  | 3"),
    ):
        assert document_in(tmp_path / "a.md", written)[0].text == seen


def test_dates_are_those_of_the_front_matter_the_name_or_the_headings(tmp_path: Path) -> None:
    minutes = "# Minutes\n\n## March 1\n\nx\n\n## March 8th\n"
    for name, text, dates in (
        ("2021-03-minutes.md", "Text", {"date": "2021-03"}),
        ("minutes-20210304.txt", "Text", {"date": "2021-03-04"}),
        ("minutes.md", minutes, {}),
        ("minutes-2021.md", minutes, {"date": "2021-03-01"}),
        ("2021-03.md", minutes, {"date": "2021-03"}),
        ("a.md", "# On 5 May 2020\n\n## 6 May 2020\n", {"date": "2020-05-05"}),
        ("v2-build-20219999.md", "# Part 12", {}),
        ("Annual Report 2011-12.md", "Text", {}),
        ("a.md", "---\ndate: March 4, 2021\n---\nText", {"date": "2021-03-04"}),
        ("a.md", "---\ndate: 2021/4/5 10:00\n---\nText", {"date": "2021-04-05"}),
        ("a.md", "# 9. April 2021 (changed 2022-01-05)", {"date": "2021-04-09"}),
    ):
        metadata = dict(document_in(tmp_path / name, text)[0].metadata)
        headings = metadata.pop("dates", None)
        assert (name, metadata) == (name, dates)
        if name in ("minutes-2021.md", "2021-03.md"):
            assert headings == ["2021-03-01", "2021-03-08"]
