"""Documents about families: their members have names that a model is asked about."""

from pathlib import Path

GIVEN = ("Ada", "Alan", "Anna", "Agnes", "Albert", "Arthur", "Alice", "Amos")
FAMILIES = ("Lovelace", "Marlowe", "Babbage")


def write_families(folder: Path) -> list[Path]:
    """Writes a document about each family, and returns the paths."""
    paths = []
    for family in FAMILIES:
        met = [f"{name} {family} met {GIVEN[0]} {family} in Rome." for name in GIVEN]
        paths.append(folder / f"{family}.txt")
        paths[-1].write_text(" ".join(met))
    return paths
