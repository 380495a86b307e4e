"""The store that the settings name."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_base.values.errors import OperatorError
from storage_compat.files.local import LocalStore
from storage_compat.files.opened import open_store
from storage_compat.files.port import ByteStore
from storage_compat.settings import read_settings


def test_a_folder_is_the_store_where_no_url_is_set(tmp_path: Path):
    assert isinstance(opened(tmp_path), LocalStore)


KEYS = {"AZURE_STORAGE_ACCOUNT_NAME": "account", "AZURE_STORAGE_ACCOUNT_KEY": "a2V5"}


@pytest.mark.parametrize(
    ("url", "variables"),
    [("gs://bucket/path", {}), ("az://container/path", KEYS), ("s3://bucket/path", {})],
)
def test_a_url_names_a_store_of_google_azure_or_s3(
    tmp_path: Path, url: str, variables: dict[str, str]
):
    store = opened(tmp_path, STORAGE_BACKEND="url", STORAGE_URL=url, **variables)
    assert not store.is_local


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("az://container", "Account must be specified"),
        ("s3:///bucket", "Unable to recognise URL"),
        ("ftp://host/path", "Unable to recognise URL"),
        ("no url", "relative URL"),
    ],
)
def test_a_url_that_names_no_store_is_told_to_the_operator(tmp_path: Path, url: str, reason: str):
    with pytest.raises(OperatorError, match=reason):
        opened(tmp_path, STORAGE_BACKEND="url", STORAGE_URL=url)


def opened(folder: Path, **variables: str) -> ByteStore:
    values = {
        "AUTH_JWT_SECRET": "s", "DATABASE_URL": "postgresql://x",
        "STORAGE_FILE_BACKEND_PATH": str(folder),
    }  # fmt: skip
    return open_store(read_settings(values | variables), lambda: "draft")
