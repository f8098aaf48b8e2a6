"""Opens files that are zip archives: workbooks and books.

They are packed, and a small file can ask for any amount of memory. So what they unpack to is
counted before a library sees it.
"""

from io import BytesIO
from zipfile import ZIP_STORED, ZipFile

from graphrag_neo4j.documents.text import File


def unpacked(file: File, *suffixes: str) -> BytesIO:
    """The same archive without compression; only parts with these suffixes have their content.

    The archive states the size of each part, but the statement may be false. So each part is
    unpacked up to its stated size. Raises InputError if the sizes exceed the limit, and whatever
    a broken archive makes zipfile raise.
    """
    archive = BytesIO()
    with ZipFile(file.path) as packed, ZipFile(archive, "w", ZIP_STORED) as target:
        parts = [one for one in packed.infolist() if one.filename.lower().endswith(suffixes)]
        file.options.refuse_larger(sum(one.file_size for one in parts), "unpacks to")
        for part in parts:
            with packed.open(part) as opened:
                target.writestr(part.filename, opened.read(part.file_size))
    return archive
