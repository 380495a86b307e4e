"""Password hashes: auth reference 6."""

from __future__ import annotations

import bcrypt
import pytest

from gotrue_compat.adapters.bcrypt_hash import find_bcrypt
from gotrue_compat.adapters.hashing import ThreadHasher

SALT = b"$2b$04$abcdefghijklmnopqrstuu"


@pytest.mark.parametrize("prefix", [b"$2a$", b"$2b$", b"$2y$"])
@pytest.mark.parametrize(
    "password",
    [b"", b"correct horse", "contraseña 🐎".encode(), b"\xff\xa3" * 30, b"x" * 72, b"a\0b"],
)
def test_the_fastest_bcrypt_gives_what_the_package_gives(password: bytes, prefix: bytes):
    salt = prefix + SALT[4:]
    assert find_bcrypt()(password, salt) == bcrypt.hashpw(password, salt)


async def test_what_is_no_hash_matches_no_password():
    hasher = ThreadHasher()
    for stored in ("", "$2a$", "$2b$04$", "$2b$04$short", "plain", "*0", "$2b$99$" + "a" * 53):
        assert not await hasher.verify("", stored)
        assert not await hasher.verify(stored, stored)
    hasher.close()


@pytest.mark.parametrize(
    "stored",
    [
        "$2b$17$" + "a" * 53,
        "$2a$31$" + "a" * 53,
        "$fbscrypt$v=1,n=20,r=8,p=2,ss=Bw==,sk=YQ==$YQ==$YQ==",
        "$fbscrypt$v=1,n=999999999,r=1,p=1,ss=Bw==,sk=YQ==$YQ==$YQ==",
        "$argon2id$v=19$m=16,t=21,p=1$c2FsdHNhbHQ$YWFhYWFhYWFhYWFhYWFhYQ",
    ],
)
async def test_a_hash_that_would_keep_a_thread_for_long_matches_no_password(stored: str):
    hasher = ThreadHasher()
    assert not await hasher.verify("a", stored)
    hasher.close()


async def test_a_new_hash_belongs_to_its_password_alone():
    hasher = ThreadHasher()
    stored = await hasher.hash("ñandú" * 20)
    assert stored.startswith("$2a$10$")
    assert await hasher.verify("ñandú" * 20, stored)
    assert not await hasher.verify("ñandu" * 20, stored)
    hasher.close()
