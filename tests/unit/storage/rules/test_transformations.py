"""How an image is to be rendered."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_base.values.errors import ApiError
from storage_compat.rules.transformations import (
    Transformation,
    read_claim,
    transformation_of,
    wanted_format,
)


def test_sizes_are_brought_within_the_limits():
    made = transformation_of({"width": 5000, "height": 1}, 10, 2000)
    assert (made.width, made.height) == (2000, 10)
    assert transformation_of({"width": 0}, 10, 2000).width is None


@pytest.mark.parametrize(
    "made",
    [Transformation(), Transformation(width=10, height=20, resize="fill", quality=50),
     Transformation(width=9, gravity="fp", x_offset=0.5, y_offset=1.0, format="webp", resize="cover")],
)  # fmt: skip
def test_the_text_of_a_token_is_read_back(made: Transformation):
    assert read_claim(made.claim(), 1, 100) == made


@pytest.mark.parametrize("offset", [None, -0.1, 1.1])
def test_a_focal_point_lies_within_the_image(offset: float | None):
    values = {"gravity": "fp", "x_offset": 0.5, "y_offset": offset}
    with pytest.raises(ApiError):
        transformation_of(values, 1, 100)


def test_a_token_with_a_size_that_is_none_is_refused():
    with pytest.raises(ApiError):
        read_claim("width:abc", 1, 100)


@given(st.text("abcdefghijklmnopqrstuvwxyz_:,.0123456789-", max_size=40))
def test_any_text_is_a_transformation_or_refused(text: str):
    try:
        read_claim(text, 1, 100)
    except ApiError as refused:
        assert refused.problem.status == 400


@pytest.mark.parametrize(
    ("wanted", "accept", "rendered"),
    [(None, "image/webp,*/*", "webp"), (None, "*/*", None), ("origin", "image/webp", None),
     ("avif", "", "avif")],
)  # fmt: skip
def test_a_browser_that_takes_webp_gets_it_unless_the_source_is_asked_for(wanted, accept, rendered):
    assert wanted_format(Transformation(format=wanted), accept) == rendered


def test_the_header_says_how_it_was_rendered():
    made = Transformation(width=10, gravity="fp", x_offset=0.5, y_offset=0)
    assert made.header("webp") == "width:10,resizing_type:fill,format:webp,gravity:fp:0.5:0"
