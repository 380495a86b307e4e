"""A service of the platform that is not here is told apart from a page."""

from __future__ import annotations

import pytest

from compat_stack.gateway.missing_service import missing_service, no_service


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/functions/v1/hello", "functions"), ("/graphql/v1", "graphql"), ("//storage/v1/x", "storage"),
        ("/pg/tables", "pg"), ("/pg", "pg"),
    ],
)  # fmt: skip
def test_a_versioned_path_asks_for_a_service(path: str, name: str):
    assert missing_service(path) == name


@pytest.mark.parametrize("path", ["/", "/dashboard", "/a/v10", "/a/v1x", "/pgx", "/x/y/v1", "/v1"])
def test_any_other_path_asks_for_a_page(path: str):
    assert missing_service(path) is None


def test_its_answer_to_a_head_has_no_body_and_to_a_socket_is_the_same():
    get = no_service("graphql", {"type": "http", "method": "GET", "headers": []})
    head = no_service("graphql", {"type": "http", "method": "HEAD", "headers": []})
    socket = no_service("graphql", {"type": "websocket", "headers": []})
    assert (get.status, head.status, socket.status) == (404, 404, 404)
    assert (head.body, socket.body) == (b"", get.body)
