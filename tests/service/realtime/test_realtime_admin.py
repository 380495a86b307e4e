"""What operators ask: figures in Prometheus' format, behind a secret of their own."""

from __future__ import annotations

import re

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

from compat_base.values import jwt
from tests.harness_realtime import FAR, Served, serve_realtime, token

SECRET = "a-secret-of-the-metrics-that-is-long-enough"
TODOS = {"event": "*", "schema": "public", "table": "todos"}


def bearer(claims: dict[str, object], secret: str = SECRET) -> dict[str, str]:
    return {"authorization": f"Bearer {jwt.sign(claims, jwt.secret_key(secret))}"}


def figures(text: str) -> dict[str, float]:
    families = text_string_to_metric_families(text)
    return {sample.name: sample.value for family in families for sample in family.samples}


async def test_figures_are_read_with_a_token_of_their_secret(server, realtime_database: str):
    url = server.url(realtime_database)
    async with (
        serve_realtime(url, METRICS_JWT_SECRET=SECRET) as served,
        served.connect() as client,
        httpx2.AsyncClient(base_url=f"http://{served.address}") as http,
    ):
        await client.subscribe(TODOS)
        await served.sql("insert into todos (task) values ('counted')")
        await client.change()
        answer = await http.get("/metrics", headers=bearer({}))
        assert answer.headers["content-type"].startswith("text/plain")
        found = figures(answer.text)
        assert found["realtime_connections_connected"] == 1
        assert found["realtime_channels_joined"] == 1
        assert found["realtime_subscribed_channels"] == 1
        assert found["realtime_replication_connected"] == 1
        assert found["realtime_channel_joins_total"] == 1
        assert found["realtime_channel_db_events_total"] == 1
        assert found["realtime_changes_delay_seconds_count"] == 1
        assert found["realtime_changes_delay_seconds_sum"] > 0
        assert found["process_resident_memory_bytes"] > 0
        assert re.search(r'realtime_observations_total\{name="replication_up"\} 1', answer.text)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer nonsense"},
        {"authorization": f"Bearer {token('service_role')}"},
        bearer({"exp": 1}),
        bearer({"exp": "x"}),
        bearer({"exp": FAR}, "another-secret-that-is-also-long-enough"),
    ],
)
async def test_figures_are_closed_to_everybody_else(
    server, realtime_database: str, headers: dict[str, str]
):
    url = server.url(realtime_database)
    async with (
        serve_realtime(url, METRICS_JWT_SECRET=SECRET) as served,
        httpx2.AsyncClient(base_url=f"http://{served.address}", headers=headers) as http,
    ):
        answer = await http.get("/metrics")
        assert (answer.status_code, answer.text) == (403, "")


async def test_without_a_secret_nobody_reads_figures(served: Served):
    async with httpx2.AsyncClient(base_url=f"http://{served.address}") as http:
        assert (await http.get("/metrics", headers=bearer({}))).status_code == 403
