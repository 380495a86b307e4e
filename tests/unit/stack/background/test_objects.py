"""Which files of a project's folder become objects of which bucket."""

from __future__ import annotations

from pathlib import Path

from compat_stack.background.objects import ObjectFile, object_files
from compat_stack.project.config import Bucket


def bucket(name: str, path: str | None) -> Bucket:
    return Bucket(name, False, None, None, path)


def test_files_are_found_in_order_with_their_place_in_the_folder(tmp_path: Path):
    for name in ("docs/b/c.txt", "docs/a.txt", "one.png"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "docs/link").symlink_to("/etc/passwd")
    buckets = [bucket("d", "./docs"), bucket("p", "one.png"), bucket("n", None), bucket("x", "no")]
    assert list(object_files(buckets, tmp_path)) == [
        ObjectFile("d", "a.txt", tmp_path / "docs/a.txt"),
        ObjectFile("d", "b/c.txt", tmp_path / "docs/b/c.txt"),
        ObjectFile("p", "one.png", tmp_path / "one.png"),
    ]
