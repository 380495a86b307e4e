"""People and callers for tests that talk to PostgreSQL itself."""

from __future__ import annotations

import itertools
import json
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

import asyncpg

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"


async def add_user(
    db: Connection, email: str | None = None, metadata: object = None, **columns: Any
) -> str:
    """Insert a user as the auth service does; the id."""
    user = str(uuid.uuid4())
    names = ["id", "email", "raw_user_meta_data", *columns]
    values = [user, email, None if metadata is None else json.dumps(metadata), *columns.values()]
    places = ", ".join(f"${n}" for n in range(1, len(values) + 1))
    await db.execute(f"insert into auth.users ({', '.join(names)}) values ({places})", *values)
    return user


async def add_person(db: Connection, nombre: str) -> str:
    """A user with a name; the id."""
    return await add_user(db, f"{uuid.uuid4()}@example.com", {"nombre": nombre})


async def pair(db: Connection, one: str, other: str) -> str:
    """Make two people a couple, as they would; the couple's id."""
    async with acting(db, one):
        code = await call(db, "crear_invitacion")
    async with acting(db, other):
        couple = await call(db, "aceptar_invitacion", code["codigo"])
    return couple["pareja_id"]


async def add_activity(db: Connection, creator: str, titulo: str = "Cine", **values: Any) -> str:
    """Insert an activity as its creator, with his couple's id or his own; the id."""
    couple = await db.fetchval("select pareja_id from public.profiles where id = $1", creator)
    row = {
        "titulo": titulo, "fecha": "2026-12-01", "creador_id": creator,
        "pareja_id": couple or creator, **values,
    }  # fmt: skip
    async with acting(db, creator):
        return await insert(db, row)


async def insert(db: Connection, row: dict[str, Any]) -> str:
    """Insert a row of actividades as the REST service does, from JSON; the id."""
    columns = ", ".join(row)
    return await db.fetchval(
        f"insert into public.actividades ({columns}) select {columns}"
        " from jsonb_populate_record(null::public.actividades, $1) returning id::text",
        json.dumps(row, default=str),
    )


async def call(db: Connection, function: str, *arguments: Any) -> Any:
    """Call a function of the planner; its JSON, decoded."""
    places = ", ".join(f"${n}" for n in range(1, len(arguments) + 1))
    answer = await db.fetchval(f"select public.{function}({places})", *arguments)
    return json.loads(answer) if isinstance(answer, str) and answer else None


@asynccontextmanager
async def acting(
    db: Connection, user: str | None, role: str = "authenticated"
) -> AsyncIterator[None]:
    """A block as somebody: role and claims are set, an error rolls the block back."""
    claims = {"role": role} | ({"sub": user} if user else {})
    async with db.transaction():
        await db.execute(f"set local role {role}")
        await db.execute("select set_config('request.jwt.claims', $1, true)", json.dumps(claims))
        yield
        await db.execute("reset role")
        await db.execute("select set_config('request.jwt.claims', '', true)")


async def attempt(db: Connection, person: str | None, function: str, *arguments: Any) -> str:
    """`ok`, or the refusal's sentence."""
    try:
        async with acting(db, person):
            await call(db, function, *arguments)
    except asyncpg.RaiseError as refusal:
        return str(refusal)
    return "ok"


# Who may see a row

RowCaller = tuple[str, dict[str, Any] | str]  # role, and claims


async def key_of(db: Connection, table: str, identity: str) -> dict[str, str]:
    """The primary key of the row of a table that has the id, as realtime names it."""
    names = await db.fetch(
        "select attname::text from pg_index join pg_attribute"
        " on attrelid = indrelid and attnum = any (indkey)"
        " where indrelid = $1::text::regclass and indisprimary",
        table,
    )
    row = await db.fetchval(f"select to_jsonb(t) from {table} t where id = $1", identity)
    return {name: json.loads(row)[name] for (name,) in names}


async def answers(
    db: Connection,
    entity: str,
    rows: list[dict[str, Any]],
    callers: list[RowCaller],
    *,
    are_deleted: bool = False,
    is_kept: bool = False,
    by_subject: bool = False,
) -> list[tuple[list[bool], list[str | None] | None]]:
    """What each caller sees of some rows, and what policies raised, by realtime.visible_to.

    A statement that is kept has the names of the role and the table. `by_subject` tells the policies
    each caller's subject by a setting too.
    """
    found: list[tuple[list[bool], list[str | None] | None]] = []
    for role, group in itertools.groupby(callers, key=lambda caller: caller[0]):
        given = [c for _, c in group]
        claims = [c if isinstance(c, str) else json.dumps(c) for c in given]
        subjects = [None if isinstance(c, str) else c.get("sub") for c in given]
        for run in await db.fetch(
            "select * from realtime.visible_to($1::text::regclass, $2, $3, $4, $5, $6, $7)"
            " order by first",
            entity,
            json.dumps(rows),
            role,
            claims,
            are_deleted,
            f"{role} of {entity}" if is_kept else None,
            subjects if by_subject else None,
        ):
            seen = [n + 1 in run["seen"] for n in range(len(rows))]
            found += [(seen, run["errors"])] * (run["last"] - run["first"] + 1)
    assert len(found) == len(callers)
    return found
