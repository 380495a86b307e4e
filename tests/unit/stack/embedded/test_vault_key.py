"""The key of the vault's secrets: made once, kept whatever is lost, and never taken damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_stack.embedded.postgres import embedded_cluster
from compat_stack.embedded.programs import PostgresError
from compat_stack.embedded.vault_key import NAME, lend_vault_key


def copied_key(data_dir: Path) -> str:
    lend_vault_key(data_dir, embedded_cluster(data_dir / "postgres"))
    copy = (data_dir / "postgres" / NAME).read_text(encoding="ascii")
    assert copy == (data_dir / NAME).read_text(encoding="ascii")
    return copy


def test_the_key_is_made_once_and_lent_again(tmp_path: Path):
    first = copied_key(tmp_path)
    assert len(first.strip()) == 64
    assert copied_key(tmp_path) == first
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o600


def test_a_key_that_is_gone_is_taken_from_the_servers_copy(tmp_path: Path):
    first = copied_key(tmp_path)
    (tmp_path / NAME).unlink()
    assert copied_key(tmp_path) == first


@pytest.mark.parametrize(
    "damage", [b"", b"\n", b"A\0B=\xff\xfe", b"a" * 63, b"x" * 64, b"[" * 9999]
)
def test_a_damaged_key_is_one_sentence_and_the_copy_stays(tmp_path: Path, damage: bytes):
    first = copied_key(tmp_path)
    (tmp_path / NAME).write_bytes(damage)
    with pytest.raises(PostgresError, match=f"{NAME} is damaged: restore it from a backup"):
        copied_key(tmp_path)
    assert (tmp_path / "postgres" / NAME).read_text(encoding="ascii") == first
    (tmp_path / NAME).unlink()
    assert copied_key(tmp_path) == first
