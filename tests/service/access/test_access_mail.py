"""Reminders by mail: one reaches who asked for it, and one press in a mail program ends them.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import cast

import asyncpg
import httpx2

from tests.harness_couple import Person, make_couple
from tests.harness_stack import Stack
from tests.harness_workers import until


def _noon_zone() -> tuple[str, str]:
    """A zone where it is past noon now, when nobody is quiet; and its tomorrow."""
    now = datetime.now(UTC)
    west = now.hour - 12
    local = now - timedelta(hours=west)
    return f"Etc/GMT{west:+d}" if west else "UTC", str(local.date() + timedelta(days=1))


def _mails(stack: Stack, person: Person) -> list[EmailMessage]:
    files = sorted((stack.data_dir / "mailbox").glob("*.eml"))
    mails = [
        cast("EmailMessage", message_from_bytes(file.read_bytes(), policy=policy.default))
        for file in files
    ]
    return [mail for mail in mails if mail["To"] == person.email]


async def test_c6_4_one_press_ends_one_persons_mails(stack: Stack) -> None:
    ana, luis = make_couple(stack)
    zone, tomorrow = _noon_zone()
    for person in (ana, luis):
        person.rpc(
            "ajustar_recordatorios", cambios={"correo": True, "zona": zone, "dia_antes_a": "12:00"}
        )
    plan = ana.create_activity("Cena «ñ»", tomorrow)
    luis.answer(plan, "aceptado")
    owner = await asyncpg.connect(stack.keys["DATABASE_URL"])
    try:
        for _ in range(2):
            await owner.execute("select planes.recordar_por_correo()")
    finally:
        await owner.close()
    until(lambda: _mails(stack, ana) and _mails(stack, luis), "the mails are there")
    (mail,) = _mails(stack, ana)
    assert mail["Subject"] == "Mañana: Cena «ñ»"
    plain = mail.get_body(("plain",))
    assert plain is not None
    assert f"{stack.url}/dashboard?plan={plan}" in plain.get_content()
    address = re.fullmatch(r"<(.+)>", mail["List-Unsubscribe"])
    assert address
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"

    # Whoever only looks ends nothing, with whatever method.
    page = httpx2.get(address[1])
    assert (page.status_code, "No quiero más correos" in page.text) == (200, True)
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    assert httpx2.head(address[1]).content == b""
    assert httpx2.put(address[1]).status_code == 405
    for wrong in ("", "x", "<script>", "%00", "a" * 5000):
        answer = httpx2.post(f"{stack.url}/unsubscribe?ficha={wrong}")
        assert (answer.status_code, "<script>" in answer.text) == (200, False)
    assert ana.rpc("mis_recordatorios")["correo"] is True

    # As mail programs do it: no cookie, no key, a form.
    ended = httpx2.post(address[1], data={"List-Unsubscribe": "One-Click"})
    assert ended.status_code == 200
    assert ana.rpc("mis_recordatorios")["correo"] is False
    assert luis.rpc("mis_recordatorios")["correo"] is True
