"""The project's files, for the check scripts beside this one. Importing it makes the project's root the current folder."""

import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.chdir(ROOT)


def tracked(*suffixes):
    """Paths from the root of all files that git knows or would add, sorted; with suffixes, only those that end so."""
    listing = subprocess.run(
        ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True,
        stdout=subprocess.PIPE,
    ).stdout.decode()
    paths = sorted(set(listing.split("\0")) - {""})
    return [p for p in paths if os.path.isfile(p) and (not suffixes or p.endswith(suffixes))]


def text(path):
    """The file's text, or an empty string where it is not UTF-8 text."""
    with open(path, "rb") as file:
        data = file.read()
    if b"\0" in data[:8192]:
        return ""
    return data.decode("utf-8", errors="replace")


def lines(path):
    return text(path).splitlines()
