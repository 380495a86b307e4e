"""postgres_changes over real sockets and a real replication stream (realtime reference 10, 11)."""

from __future__ import annotations

import pytest

from tests.harness_realtime import Served, token

USER = "11111111-1111-4111-8111-111111111111"
OTHER = "22222222-2222-4222-8222-222222222222"


@pytest.mark.parametrize("vsn", ["1.0.0", "2.0.0", None])
async def test_an_insert_reaches_a_subscriber(served: Served, vsn: str | None):
    async with served.connect(vsn=vsn) as client:
        ids = await client.subscribe({"event": "*", "schema": "public", "table": "todos"})
        await served.sql(
            "insert into todos (id, task, amount) values (default, 'milk', 1.10) returning id"
        )
        change = await client.change()
        assert change["ids"] == ids
        data = change["data"]
        assert (data["type"], data["table"], data["errors"]) == ("INSERT", "todos", None)
        assert data["record"]["task"] == "milk"
        assert "old_record" not in data
