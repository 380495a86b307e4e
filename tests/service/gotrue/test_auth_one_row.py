"""A setting, a provider, an error and a route are one row each: added in place, it works.

Where they are: gotrue_compat/settings/limits.py, gotrue_compat/providers/registry.py, the
`errors.py` and the `routes.py` of a feature.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from compat_base.values.errors import ApiError, Row
from gotrue_compat.core.results import Json
from gotrue_compat.features.user import errors as user_errors
from gotrue_compat.http.route import Guard, Route, nothing
from gotrue_compat.providers import github
from gotrue_compat.providers.registry import PROVIDERS, Provider
from gotrue_compat.settings.limits import LIMITS, Limit
from gotrue_compat.web import routes
from tests.architecture.tables import errors_document, settings_document
from tests.harness_auth import Auth, location, problem
from tests.service.gotrue.test_auth_limits import at


async def _tea(_deps: Any, _context: Any, _body: None) -> Json:
    return Json({"tea": "green"})


async def _no_tea(_deps: Any, _context: Any, _body: None) -> Json:
    raise ApiError.of(user_errors.TEAPOT, cups=3)  # pyright: ignore[reportAttributeAccessIssue] — added by the test


def _forget_tables() -> None:
    """The service makes them of ROUTES once."""
    for made in (routes._by_path, routes._literals, routes._patterns, routes._mounts_of):
        made.cache_clear()


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """What is added to the table of routes is found, and forgotten after the test."""
    more = (
        Route("GET", "/tea/{leaf}", Guard.PUBLIC, nothing, _tea, limits=("tea",)),
        Route("POST", "/tea/{leaf}", Guard.PUBLIC, nothing, _no_tea),
    )
    monkeypatch.setattr(routes, "ROUTES", (*routes.ROUTES, *more))
    _forget_tables()
    yield monkeypatch
    monkeypatch.undo()
    _forget_tables()


async def test_a_route_and_an_error(open_with, added: pytest.MonkeyPatch):
    row = Row("teapot", 418, "There are {cups} cups")
    added.setattr(user_errors, "TEAPOT", row, raising=False)
    added.setitem(LIMITS, "tea", Limit("RATE_LIMIT_TEA", "off"))  # pyright: ignore[reportArgumentType] — a dict
    auth: Auth = await open_with()
    assert (await auth.get("/tea/oolong")).json() == {"tea": "green"}
    assert problem(await auth.post("/tea/oolong", {})) == (418, "teapot", "There are 3 cups")
    assert (await auth.delete("/tea/oolong")).headers["allow"] == "GET, POST"
    assert "| `teapot` | 418 | There are {cups} cups |" in errors_document()


async def test_a_setting_that_is_a_limit(open_with, added: pytest.MonkeyPatch):
    added.setitem(LIMITS, "tea", Limit("RATE_LIMIT_TEA", "2"))  # pyright: ignore[reportArgumentType] — a dict
    auth: Auth = await open_with(GOTRUE_RATE_LIMIT_HEADER="x-forwarded-for")
    answers = [await auth.get("/tea/oolong", **at("203.0.113.80")) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    wider: Auth = await open_with(
        GOTRUE_RATE_LIMIT_HEADER="x-forwarded-for", GOTRUE_RATE_LIMIT_TEA="off"
    )
    answers = [await wider.get("/tea/oolong", **at("203.0.113.80")) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert "| `GOTRUE_RATE_LIMIT_TEA` |" in settings_document()


async def test_a_provider(open_with, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(PROVIDERS, "acme", Provider(github.definition))  # pyright: ignore[reportArgumentType] — a dict
    prefix = "GOTRUE_EXTERNAL_ACME_"
    auth: Auth = await open_with(**{
        f"{prefix}ENABLED": "true", f"{prefix}CLIENT_ID": "id", f"{prefix}SECRET": "secret",
        f"{prefix}REDIRECT_URI": "http://localhost/callback", f"{prefix}URL": "https://acme.example",
    })  # fmt: skip
    assert (await auth.get("/settings")).json()["external"]["acme"] is True
    place, query, _ = location(await auth.get("/authorize?provider=acme"))
    assert place == "https://acme.example/login/oauth/authorize"
    assert query["client_id"] == "id"
    assert f"| `{prefix}ENABLED` |" in settings_document()
