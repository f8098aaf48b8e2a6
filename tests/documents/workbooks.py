"""Makes workbooks."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from string import digits
from zipfile import ZIP_DEFLATED, ZipFile

OFFICE = "http://schemas.openxmlformats.org"
MAIN = f'xmlns="{OFFICE}/spreadsheetml/2006/main"'
IN_OFFICE = f"{OFFICE}/officeDocument/2006/relationships"
PACKAGE = f'xmlns="{OFFICE}/package/2006/relationships"'


def workbook(path: Path, sheets: Mapping[str, Sequence[Sequence[str | float]]]) -> Path:
    """A workbook of texts, numbers, and dates, which are the numbers above 40,000."""
    bodies = {name: "".join(map(_row, range(1, 999), rows)) for name, rows in sheets.items()}
    return workbook_of(path, bodies)


def workbook_of(path: Path, sheets: Mapping[str, str], strings: Sequence[str] = ()) -> Path:
    """A workbook whose sheets have these rows, in XML."""
    named, kinds = "", ["styles", "sharedStrings"]
    for number, name in enumerate(sheets, 2):
        named += f'<sheet name="{name}" sheetId="{number}" r:id="r{number}"/>'
        kinds.append(f"worksheet{number}")
    related = "".join(
        f'<Relationship Id="r{n}" Type="{IN_OFFICE}/{kind.rstrip(digits)}" Target="{kind}.xml"/>'
        for n, kind in enumerate(kinds)
    )
    shared = "".join(f"<si><t>{text}</t></si>" for text in strings)
    parts = {
        "_rels/.rels": f'<Relationships {PACKAGE}><Relationship Id="r" Target="xl/workbook.xml" '
        f'Type="{IN_OFFICE}/officeDocument"/></Relationships>',
        "xl/_rels/workbook.xml.rels": f"<Relationships {PACKAGE}>{related}</Relationships>",
        "xl/workbook.xml": f'<workbook {MAIN} xmlns:r="{IN_OFFICE}"><sheets>{named}</sheets>'
        "</workbook>",
        "xl/styles.xml": f'<styleSheet {MAIN}><cellXfs><xf/><xf numFmtId="14"/></cellXfs>'
        "</styleSheet>",
        "xl/sharedStrings.xml": f"<sst {MAIN}>{shared}</sst>",
    }
    with ZipFile(path, "w", ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
        for n, body in enumerate(sheets.values(), 2):
            sheet = f"<worksheet {MAIN}><sheetData>{body}</sheetData></worksheet>"
            packed.writestr(f"xl/worksheet{n}.xml", sheet)
    return path


def _row(number: int, cells: Sequence[str | float]) -> str:
    return f'<row r="{number}">{"".join(map(_cell, cells))}</row>'


def _cell(value: str | float) -> str:
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t>{value}</t></is></c>'
    return f'<c s="{int(value > 40_000)}"><v>{value}</v></c>'
