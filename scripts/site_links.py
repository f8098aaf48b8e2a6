"""The pages of the site that stand outside docs/, and the links that leave it.

The Markdown is written for a code host, where a link may lead to any file of the repository.
"""

import re
from pathlib import Path
from posixpath import dirname, join, normpath, relpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
TOP = {
    "index.md": "README.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
}
LINK = re.compile(r"\[([^\[\]]*)\]\((?!\w+:)([^)#]+)(#[^)]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Adds the pages from the top of the repository."""
    for page, path in TOP.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / path)))


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links to other files lead to `repo_url`; while it isn't set, they become text."""
    pages = {TOP.get(uri, f"docs/{uri}"): uri for uri in files.src_uris}
    this = page.file.src_uri

    def moved(link: re.Match[str]) -> str:
        path = normpath(join(dirname(TOP.get(this, f"docs/{this}")), link[2]))
        if path in pages:
            return f"[{link[1]}]({relpath(pages[path], dirname(this) or '.')}{link[3] or ''})"
        if not (ROOT / path).exists():
            return link[0]  # mkdocs reports it
        return f"[{link[1]}]({config.repo_url}/blob/HEAD/{path})" if config.repo_url else link[1]

    return LINK.sub(moved, markdown)
