"""Two who tell the same person something at the same moment, on connections of their own."""

from __future__ import annotations

import asyncio
import json
import uuid

import asyncpg

from tests.conftest import Server
from tests.db.test_alerts import register
from tests.harness_sql import acting, add_activity, add_person, call, pair
from tests.harness_states import until


async def test_c1_what_two_tabs_do_at_once_in_quiet_hours_is_two_pieces_of_news(
    server: Server, planner_database: str
) -> None:
    url = server.url(planner_database)
    one, other, third = [await asyncpg.connect(url) for _ in range(3)]
    try:
        ana, berta = [await add_person(one, name) for name in ("Ana", "Berta")]
        await pair(one, ana, berta)
        device = await register(one, berta, "https://fcm.googleapis.com/at-once")
        async with acting(one, berta):
            quiet = {"silencio_desde": "00:00", "silencio_hasta": "23:59:59"}
            await one.execute("select ajustar_dispositivo($1, $2)", device, json.dumps(quiet))
        plan = await add_activity(one, ana, "Cena")
        await one.execute("delete from recados.cola")
        backend = await other.fetchval("select pg_backend_pid()")

        async def say() -> None:
            async with acting(other, ana):
                await call(other, "comentar", plan, str(uuid.uuid4()), "Voy", False)

        async with acting(one, ana):
            await one.execute(
                "insert into actividades (titulo, fecha, creador_id, pareja_id)"
                " values ('Cine', '2026-12-02', $1, $1)", ana,
            )  # fmt: skip
            notifying = asyncio.create_task(say())
            await until(
                lambda: third.fetchval(
                    "select wait_event_type = 'Lock' from pg_stat_activity where pid = $1", backend
                )
            )
        await notifying
        payload = await one.fetchval("select carga from recados.cola where clave like 'silencio:%'")
        assert json.loads(payload)["cuantas"] == 2
    finally:
        for connection in (one, other, third):
            await connection.close()
