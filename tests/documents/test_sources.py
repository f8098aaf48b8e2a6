"""Which files paths stand for, what they are called, and which of them have gone."""

import codecs
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphrag_neo4j.documents import ReadOptions, find_files, gone, source_of
from graphrag_neo4j.documents.sources import lost_files
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.index.corpus import Corpus


@pytest.fixture
def shut(tmp_path: Path) -> Iterator[None]:
    """A folder docs/shut that can't be listed; root may list every folder, so be nobody."""
    lay("docs/a.md", "docs/shut/b.md")
    tmp_path.chmod(0o755)
    Path("docs/shut").chmod(0)
    codecs.lookup("utf-8-sig")  # nobody may not be allowed to read Python's own files
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    yield
    os.seteuid(user)
    Path("docs/shut").chmod(0o700)


def lay(*names: str) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("text")


def found(*paths: str, follow_links: bool = False) -> list[str]:
    return [path.as_posix() for path in find_files(paths, follow_links=follow_links).files]


FOUND = {
    "docs": "docs/a.md docs/x/b.RST docs/x/y/c.md",  # in order
    "docs/**/*.md": "docs/a.md docs/x/y/c.md",
    "docs/**/[bc].*": "docs/x/b.RST docs/x/y/c.md",
    "d*/x": "docs/x/b.RST docs/x/y/c.md",
    "docs/.git": "docs/.git/b.md",  # what is hidden is found where it is named
    "docs/.*.md": "docs/.draft.md",
    "a[1].md": "a[1].md",  # what exists isn't a glob
    "x[y]": "x[y]/b.md",
}


def test_files_are_found_by_folder_glob_and_name() -> None:
    lay("docs/a.md", "docs/x/b.RST", "docs/x/y/c.md", "docs/.draft.md", "docs/.git/b.md")
    lay("a[1].md", "a1.md", "x[y]/b.md", "docs/b.png")
    assert {path: found(path) for path in FOUND} == {
        path: files.split() for path, files in FOUND.items()
    }


def test_what_is_of_no_kind_or_matches_nothing_is_refused_where_it_is_named() -> None:
    lay("docs/a.md", "docs/b.png", "docs/x/c.PNG", "docs/Makefile")
    assert find_files(["docs", "docs/*"]).skipped == {".png": 2, "": 1}
    Path("docs/d.ODT").touch()
    with pytest.raises(InputError, match=r"d\.ODT .* save it as \.docx\."):
        find_files(["docs/d.ODT"])
    [_, notice] = Corpus.of_paths(["docs/b.*", "docs/d.*"], ReadOptions()).notices()
    skipped = "1 file of type .odt (save as .docx), 1 file of type .png"
    assert notice == f"Skipped, since they can't be read: {skipped}."
    with pytest.raises(InputError, match=r"b\.png .* known are \.txt, .*\.md, .*\.docx"):
        find_files(["docs/b.png"])
    for path in ("nowhere", "nowhere.md", "docs/*.rst", "nowhere/**", "x" * 300):
        with pytest.raises(InputError, match=re.escape(path)):
            find_files(["docs", path])


@pytest.mark.usefixtures("shut")
def test_a_folder_that_cannot_be_listed_is_named_and_nothing_of_it_is_gone() -> None:
    result = find_files(["docs"])
    assert [path.name for path in result.files] == ["a.md"]
    assert [problem.source for problem in result.unreadable] == ["docs/shut"]
    with pytest.raises(InputError, match="shut can't be listed"):
        gone([], "docs", ReadOptions())


def test_a_name_has_one_source_however_its_marks_are_written() -> None:
    lay("nfc/\u00e9.md", "nfd/e\u0301.md")
    one, other = (
        source_of(Path(path), ReadOptions()) for path in ("nfc/\u00e9.md", "nfd/e\u0301.md")
    )
    assert one.replace("nfc", "nfd") == other
    assert gone([other], "nfd", ReadOptions()) == []


def test_a_source_is_the_resolved_path_as_a_uri_or_relative_to_the_root() -> None:
    lay("docs/ä b#1%.md", "other/b.md")
    path = Path("docs/ä b#1%.md")
    Path("link.md").symlink_to(path)
    assert source_of(Path("link.md"), ReadOptions()) == source_of(path, ReadOptions())
    assert source_of(path, ReadOptions()).startswith("file:///")
    assert source_of(path, ReadOptions()).endswith("/docs/%C3%A4%20b%231%25.md")
    assert source_of(path, ReadOptions(source_root=Path())) == "docs/ä b%231%25.md"
    with pytest.raises(InputError, match="outside the source root"):
        source_of(Path("other/b.md"), ReadOptions(source_root=Path("docs")))


@pytest.mark.parametrize("root", [None, Path(), Path("docs")])
def test_gone_are_the_documents_under_a_folder_whose_file_is_no_more(root: Path | None) -> None:
    options = ReadOptions(source_root=root)
    lay("docs/a.md", "docs/sub/b.md", "docs/rows.csv", "docs/old.csv")
    sources = [source_of(path, options) for path in find_files(["docs"]).files]
    sources += [f"{source}#17" for source in sources if source.endswith(".csv")]
    assert gone(sources, "docs", options) == []
    Path("docs/sub/b.md").unlink()
    Path("docs/old.csv").unlink()
    lost = [source for source in sources if "b.md" in source or "old.csv" in source]
    assert gone(sources, "docs", options) == lost
    assert gone(sources, "docs/*.md", options) == lost
    assert gone(sources, "docs/a.md", options) == []


def test_gone_leaves_alone_what_lies_elsewhere_or_was_no_file_of_ours() -> None:
    lay("docs/a.md", "docs2/b.md")
    options = ReadOptions(source_root=Path())
    sources = ["docs2/gone.md", "docs/of my own", "https://example.org/x.md", "/srv/x.md", "a.md"]
    assert gone(sources, "docs", options) == []
    assert gone(sources, ".", options) == ["docs2/gone.md", "a.md"]


@pytest.mark.parametrize("root", [None, Path()])
def test_all_documents_of_a_path_that_is_gone_are_gone(root: Path | None) -> None:
    options = ReadOptions(source_root=root)
    lay("docs/a.md", "docs/sub/b.md", "docs/rows.csv", "docs2/c.md")
    sources = [source_of(path, options) for path in find_files(["docs", "docs2"]).files]
    sources += [f"{source}#17" for source in sources if source.endswith(".csv")]
    shutil.rmtree("docs")
    assert gone(sources, "docs", options) == [one for one in sources if "/docs2/" not in f"/{one}"]
    assert gone(sources, "docs/rows.csv", options) == [one for one in sources if "rows" in one]
    assert gone(sources, "docs/nothing", options) == []


@pytest.mark.usefixtures("shut")
def test_a_path_or_file_is_gone_only_where_the_disk_says_so() -> None:
    found = find_files(["docs", "nowhere", "docs/a.md/x"], may_be_gone=True)
    assert [path.as_posix() for path in found.gone] == ["nowhere", "docs/a.md/x"]
    with pytest.raises(InputError, match=r"docs/shut/c\.md can't be read"):
        find_files(["docs/shut/c.md"], may_be_gone=True)
    hidden = [f"{Path.cwd().as_uri()}/docs/shut/{name}.md" for name in ("b", "c/d")]
    assert lost_files(hidden, ["docs"], ReadOptions()) == (0, {})


def test_neither_a_glob_nor_a_link_to_a_disk_that_is_detached_is_gone() -> None:
    Path("detached").symlink_to("volume/docs")
    for path in ("detached", "docs/*.rst"):
        with pytest.raises(InputError, match=re.escape(f"{path} matches no file")):
            find_files([path], may_be_gone=True)


def test_lost_files_are_counted_under_the_paths_and_elsewhere_by_the_outermost_folder() -> None:
    lay("docs/a.md", "docs/b.md", "other/c.md", "away/x/y/d.md", "away/x/e.md")
    lay("nfd e\u0301/e\u0301.md")
    files = [source_of(path, ReadOptions()) for path in find_files(["."]).files]
    uri = Path.cwd().as_uri()
    left = [f"{uri}/away/note", "https://a.example/x.md", "docs2/x.md"]
    files += [*left, "/srv/x.md", "file://another/x.md"]
    assert lost_files(files, ["docs"], ReadOptions()) == (0, {})
    shutil.rmtree("away")
    for name in ("docs/b.md", "other/c.md"):
        Path(name).unlink()
    lost = {Path.cwd() / "away": 2, Path.cwd() / "other/c.md": 1}
    assert lost_files(files, ["docs", "docs/a.md"], ReadOptions()) == (1, lost)
    assert lost_files(files, ["docs/*.md"], ReadOptions()) == (1, lost)
    unprunable = {**lost, Path.cwd() / "docs/b.md": 1}  # it was read without the root
    assert lost_files(files, ["docs"], ReadOptions(source_root=Path())) == (0, unprunable)
    relative = ["docs/a.md", "docs/b%23.md", "docs/x/b.md", "docs2/b.md", "of my own"]
    assert lost_files(relative, ["docs"], ReadOptions(source_root=Path())) == (2, {})
    Path("docs/b#.md").touch()
    assert lost_files(relative, ["docs"], ReadOptions(source_root=Path())) == (1, {})
    assert lost_files(relative, ["docs"], ReadOptions()) == (0, {})


def test_a_link_that_leads_out_of_the_folder_is_followed_only_if_asked() -> None:
    lay("docs/a.md", "elsewhere/b.md", "elsewhere/c.md")
    Path("docs/file.md").symlink_to("../elsewhere/b.md")
    Path("docs/folder").symlink_to("../elsewhere")
    Path("docs/same.md").symlink_to("a.md")
    Path("docs/nowhere.md").symlink_to("../nowhere.md")
    assert found("docs/*/*.md", "docs/a.md") == ["docs/a.md"]
    assert "docs/folder/b.md" in found("docs/*/*.md", follow_links=True)
    assert found("docs/folder") == ["docs/folder/b.md", "docs/folder/c.md"]  # it was asked for
    result = find_files(["docs"])
    assert [path.as_posix() for path in result.files] == ["docs/a.md"]
    links = [path.as_posix() for path in result.links]
    assert links == ["docs/file.md", "docs/folder", "docs/nowhere.md"]
    followed = "docs/a.md docs/file.md docs/folder/c.md docs/nowhere.md"
    assert found("docs", follow_links=True) == followed.split()


def test_loops_of_links_end_whether_they_are_followed_or_not() -> None:
    lay("docs/x/a.md", "other/b.md")
    Path("docs/x/up").symlink_to("..")
    Path("docs/x/out").symlink_to("../../other")
    Path("other/back").symlink_to("../docs")
    Path("docs/one").symlink_to("two")
    Path("docs/two").symlink_to("one")
    assert found("docs/x/a.md", "docs", "docs/x/*") == ["docs/x/a.md"]  # once, and no loop
    assert "docs/x/out/b.md" in found("docs", follow_links=True)


async def test_links_that_were_not_followed_are_counted_and_what_a_link_gave_is_not_gone() -> None:
    lay("docs/a.md", "elsewhere/b.md")
    Path("docs/b.md").symlink_to("../elsewhere/b.md")
    [notice] = Corpus.of_paths(["docs"], ReadOptions()).notices()
    assert "1 symbolic link" in notice
    assert "docs/b.md. --follow-links" in notice
    assert Corpus.of_paths(["docs"], ReadOptions(follow_links=True)).notices() == []
    sources = [
        source_of(path, ReadOptions()) for path in find_files(["docs"], follow_links=True).files
    ]
    assert gone(sources, "docs", ReadOptions()) == []
