"""A user's script: sign in with stock supabase-py, list and create activities, listen to changes.

    pip install supabase
    set -a; . .data/keys.env; set +a
    python examples/planner.py ana@example.com secreto "Cena en casa" 2026-12-24

It signs the address up where it is new, creates the activity, prints the list, and then prints
every change of the couple's activities until Ctrl-C. `--once` stops after the first change.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from typing import Any

from supabase import AsyncClient, AuthApiError, acreate_client


async def main(arguments: argparse.Namespace) -> None:
    """Run the script's steps in order."""
    client = await acreate_client(os.environ["SUPABASE_URL"], os.environ["SUPABASE_ANON_KEY"])
    user_id = await sign_in(client, arguments.email, arguments.password)
    changes = await listen(client)
    await create_activity(client, user_id, arguments.titulo, arguments.fecha)
    await print_activities(client)
    while True:
        change = await changes.get()
        data = change["data"]
        print(f"{data['type'].value}: {data.get('record') or data['old_record']}", flush=True)
        if arguments.once:
            break
    await client.remove_all_channels()
    await client.auth.sign_out()


async def sign_in(client: AsyncClient, email: str, password: str) -> str:
    """Sign in, or up where the address is new, and give the user's id."""
    credentials = {"email": email, "password": password}
    try:
        answer = await client.auth.sign_in_with_password(credentials)
    except AuthApiError:
        await client.auth.sign_up({**credentials, "options": {"data": {"nombre": email}}})
        answer = await client.auth.sign_in_with_password(credentials)
    return answer.user.id


async def listen(client: AsyncClient) -> asyncio.Queue[dict[str, Any]]:
    """Subscribe to every change of the activities; the queue holds what was heard."""
    changes: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    subscribed = asyncio.Event()
    channel = client.channel("actividades-changes")
    channel.on_postgres_changes("*", changes.put_nowait, table="actividades", schema="public")
    channel.on_system(lambda _payload: subscribed.set())
    await channel.subscribe()
    await subscribed.wait()
    return changes


async def create_activity(client: AsyncClient, user_id: str, titulo: str, fecha: str) -> None:
    """Propose an activity to the partner, or to oneself while there is none."""
    profile = await client.table("profiles").select("*").eq("id", user_id).single().execute()
    row = {
        "titulo": titulo,
        "fecha": fecha,
        "estado": "pendiente",
        "creador_id": user_id,
        "pareja_id": profile.data["pareja_id"] or user_id,
    }
    await client.table("actividades").insert(row).execute()


async def print_activities(client: AsyncClient) -> None:
    """Print every activity that the server shows this user, by date."""
    answer = await client.table("actividades").select("*").order("fecha").execute()
    for row in answer.data:
        print(f"{row['fecha']}  {row['estado']:<10} {row['titulo']}", flush=True)


def read_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("email")
    parser.add_argument("password")
    parser.add_argument("titulo")
    parser.add_argument("fecha", help="YYYY-MM-DD")
    parser.add_argument("--once", action="store_true", help="stop after the first change")
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main(read_arguments()))
