"""Media types and the Accept header."""

import pytest

from rest_compat.http.media_types import MediaKind, accepted, decode_media_type


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("application/json; charset=utf-8", MediaKind.JSON),
        ("ApplicatIon/vnd.PgRsT.object+json", MediaKind.OBJECT),
        ("application/vnd.pgrst.object;nulls=stripped", MediaKind.OBJECT_STRIPPED),
        ("application/vnd.pgrst.array+json", MediaKind.JSON),
        ("application/vnd.pgrst.plan", MediaKind.PLAN),
        ("*/*", MediaKind.ANY),
        ("application/vnd.twkb", MediaKind.OTHER),
        ("nonsense", MediaKind.OTHER),
        ("application/json_", MediaKind.JSON),
        ("application/json\u00a0", MediaKind.OTHER),
        ("text/csv\u0085", MediaKind.OTHER),
        ("application/vnd.pgrst.object+json;\u00a0nulls=stripped", MediaKind.OBJECT),
        ("application/vnd.pgrst.object+json;nulls=stripped\u00a0", MediaKind.OBJECT),
    ],
)
def test_media_types_are_told_apart(text, kind):
    assert decode_media_type(text).kind is kind


def test_accept_is_sorted_by_weight():
    kinds = [media.kind for media in accepted("text/csv;q=0.5, application/json, */*;q=0.1")]
    assert kinds == [MediaKind.JSON, MediaKind.CSV, MediaKind.ANY]


@pytest.mark.parametrize(
    ("header", "types"),
    [
        ("", []),
        ("text/csv;q=0.5;x=y, application/json;q=0.9", ["application/json", "text/csv"]),
        ("*/*, text/*, text/csv", ["text/csv", "text/*", "*/*"]),
        ("text/csv;q=.5, application/json;q=0.9", ["text/csv", "application/json"]),
        ("a/b; c = d ; q=0", ["a/b;c=d"]),
        ("text/csv,", ["text/csv", ""]),
    ],
)
def test_accept_is_read_as_the_original_reads_it(header, types):
    assert [media.mime() for media in accepted(header)] == types


def test_a_plan_names_its_parameters_in_normal_form():
    media = decode_media_type(
        'application/vnd.pgrst.plan+text ; options=wal|analyze; for="text/csv"'
    )
    assert media.mime() == 'application/vnd.pgrst.plan+text; for="text/csv"; options=analyze|wal'
