"""The original's variables, by either name."""

from __future__ import annotations

import pytest

from compat_base.values.settings import SettingsError
from storage_compat.settings import read_settings

REQUIRED = {"AUTH_JWT_SECRET": "s", "DATABASE_URL": "postgresql://x"}


def test_an_older_name_counts_where_the_newer_is_not_set():
    assert read_settings(REQUIRED | {"FILE_SIZE_LIMIT": "5"}).uploads.limit == 5
    both = {"FILE_SIZE_LIMIT": "5", "UPLOAD_FILE_SIZE_LIMIT": "7"}
    assert read_settings(REQUIRED | both).uploads.limit == 7


def test_the_region_is_the_stores_where_one_is_set():
    region = {"SERVER_REGION": "c"}
    assert read_settings(REQUIRED | region).s3.region == "c"
    region |= {"REGION": "b"}
    assert read_settings(REQUIRED | region).s3.region == "b"
    region |= {"STORAGE_S3_REGION": "a"}
    assert read_settings(REQUIRED | region).s3.region == "a"


def test_bytes_are_kept_in_a_folder_or_behind_a_url():
    assert read_settings(REQUIRED).files.url is None
    bucket = {"STORAGE_BACKEND": "s3", "STORAGE_S3_BUCKET": "b", "AWS_ACCESS_KEY_ID": "k"}
    files = read_settings(REQUIRED | bucket).files
    assert (files.url, files.options) == ("s3://b", {"access_key_id": "k"})
    google = {"STORAGE_BACKEND": "url", "STORAGE_URL": "gs://b", "GOOGLE_X": "1", "OTHER": "2"}
    assert read_settings(REQUIRED | google).files.options == {"GOOGLE_X": "1"}


def test_a_file_url_is_a_folder():
    url = {"STORAGE_BACKEND": "url", "STORAGE_URL": "file:///srv/some%20files"}
    files = read_settings(REQUIRED | url).files
    assert (files.url, str(files.folder)) == (None, "/srv/some files")


def test_every_problem_is_told_at_once():
    with pytest.raises(SettingsError) as caught:
        read_settings({"STORAGE_BACKEND": "s3", "JWT_JWKS": "{", "STORAGE_PUBLIC_URL": "x"})
    names = (
        "AUTH_JWT_SECRET",
        "DATABASE_URL",
        "STORAGE_S3_BUCKET",
        "JWT_JWKS",
        "STORAGE_PUBLIC_URL",
    )
    assert all(name in str(caught.value) for name in names)


def test_secrets_are_not_shown():
    shown = repr(read_settings(REQUIRED | {"S3_PROTOCOL_ACCESS_KEY_SECRET": "hidden"}))
    assert "hidden" not in shown
    assert "postgresql" not in shown
