"""Installs the checkout anew with each set of extras, and prints how many packages and MB that is.

    python scripts/bench/installation.py [CHECKOUT ...]

It counts what pip lists and the files in site-packages, without pip and setuptools themselves and
without compiled files. Packages come from the index that pip is set to, or from its cache.
"""

import argparse
import subprocess
import tempfile
import venv
from importlib.metadata import Distribution, distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]
SETS = {"base": "", "index": "[index]", "quickstart": "[local,docs,watch,serve]"}
APART = {"pip", "setuptools"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkouts", type=Path, nargs="*", default=[ROOT])
    for checkout in parser.parse_args().checkouts:
        print(checkout.resolve().name)
        for name, extras in SETS.items():
            with tempfile.TemporaryDirectory() as folder:
                found = _installed(f"{checkout}{extras}", Path(folder))
                mb = sum(map(_size, found)) / 1e6
                print(f"{name:12}{len(found):4} packages {mb:5.0f} MB", flush=True)


def _installed(what: str, folder: Path) -> list[Distribution]:
    venv.create(folder, with_pip=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install"]
    subprocess.run([*pip, "--quiet", "--no-compile", what], check=True)
    [site] = map(str, folder.glob("lib/python*/site-packages"))
    return [one for one in distributions(path=[site]) if one.name not in APART]


def _size(package: Distribution) -> int:
    files = [Path(str(file.locate())) for file in package.files or ()]
    return sum(file.stat().st_size for file in files if file.exists())


if __name__ == "__main__":
    main()
