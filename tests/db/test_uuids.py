"""The uuid-ossp of the embedded PostgreSQL."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

import pytest

from tests.harness_sql import Connection

GREGORIAN = datetime(1582, 10, 15, tzinfo=UTC)


@pytest.mark.parametrize(("function", "version"), [("v1", 1), ("v1mc", 1), ("v4", 4)])
async def test_every_uuid_is_another_of_its_version(
    services: Connection, function: str, version: int
) -> None:
    rows = await services.fetch(
        f"select extensions.uuid_generate_{function}() as drawn from generate_series(1, 50)"
    )
    drawn = {uuid.UUID(str(row["drawn"])) for row in rows}
    assert len(drawn) == 50
    assert {(one.version, one.variant) for one in drawn} == {(version, uuid.RFC_4122)}


async def test_a_uuid_of_version_1_holds_its_time_and_a_random_node(services: Connection) -> None:
    row = await services.fetchrow("select extensions.uuid_generate_v1() as drawn, now() as now")
    assert row is not None
    drawn = uuid.UUID(str(row["drawn"]))
    made = GREGORIAN + timedelta(microseconds=drawn.time / 10)
    assert timedelta(0) <= made - row["now"] < timedelta(minutes=1)
    assert drawn.node >> 40 & 1


@pytest.mark.parametrize(
    ("function", "namespace"),
    [
        ("dns", uuid.NAMESPACE_DNS), ("url", uuid.NAMESPACE_URL),
        ("oid", uuid.NAMESPACE_OID), ("x500", uuid.NAMESPACE_X500),
    ],
)  # fmt: skip
async def test_names_have_the_uuids_that_python_gives_them(
    services: Connection, function: str, namespace: uuid.UUID
) -> None:
    found = await services.fetchval(
        f"select extensions.uuid_generate_v3(extensions.uuid_ns_{function}(), 'año.example')"
    )
    assert uuid.UUID(str(found)) == uuid.uuid3(namespace, "año.example")


@pytest.mark.parametrize("name", ["", "año.example", "x" * 39, "x" * 40, "x" * 48, "ñ" * 500])
async def test_names_have_the_uuids_of_version_5_that_python_gives_them(
    services: Connection, name: str
) -> None:
    found = await services.fetchval(
        "select extensions.uuid_generate_v5(extensions.uuid_ns_dns(), $1)", name
    )
    assert uuid.UUID(str(found)) == uuid.uuid5(uuid.NAMESPACE_DNS, name)
