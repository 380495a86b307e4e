"""People of the planner, acting through HTTP as any client would."""

from __future__ import annotations

import itertools
import os
import ssl
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import bcrypt
import httpx2

from tests.harness_stack import Stack

PASSWORD = "secreto-123"
_CHEAP_HASH = bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(4)).decode()
_NO_AUTHORITIES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # loading them takes 24 ms a client
_NUMBERS = itertools.count()


@dataclass
class Person:
    """A signed-in user with an HTTP client that carries the session."""

    email: str
    password: str
    nombre: str
    id: str
    client: httpx2.Client
    session: dict[str, Any]

    def __post_init__(self) -> None:
        # An unclosed socket is a warning, and a warning fails whichever test runs then.
        weakref.finalize(self, self.client.close)

    @property
    def profile(self) -> dict[str, Any]:
        """The person's own row of profiles."""
        return self._json("GET", f"/rest/v1/profiles?id=eq.{self.id}&select=*")[0]

    def rpc(self, function: str, **arguments: Any) -> Any:
        """Call a function of the planner."""
        return self._json("POST", f"/rest/v1/rpc/{function}", json=arguments)

    def create_activity(self, titulo: str, fecha: str | None = None, **more: Any) -> str:
        """Propose an activity, today where no date is given; its id."""
        row = {
            "titulo": titulo,
            "descripcion": None,
            "fecha": fecha or datetime.now().astimezone().date().isoformat(),
            "presupuesto": None,
            "estado": "pendiente",
            "creador_id": self.id,
            "pareja_id": self.profile["pareja_id"] or self.id,
            **more,
        }
        headers = {"prefer": "return=representation"}
        made = self._json("POST", "/rest/v1/actividades", json=row, headers=headers)
        return made[0]["id"]

    def answer(self, activity: str, estado: str) -> None:
        """Accept or reject an activity."""
        values = {"estado": estado, "aceptado_por": self.id if estado == "aceptado" else None}
        headers = {"prefer": "return=representation"}
        path = f"/rest/v1/actividades?id=eq.{activity}"
        changed = self._json("PATCH", path, json=values, headers=headers)
        assert len(changed) == 1, changed

    def delete(self, activity: str) -> None:
        """Delete an activity of one's own."""
        headers = {"prefer": "return=representation"}
        path = f"/rest/v1/actividades?id=eq.{activity}"
        deleted = self._json("DELETE", path, headers=headers)
        assert len(deleted) == 1, deleted

    def activities(self) -> list[dict[str, Any]]:
        """Every activity this person is shown."""
        return self._json("GET", "/rest/v1/actividades?select=*&order=fecha.asc")

    def _json(self, method: str, path: str, **options: Any) -> Any:
        answer = self.client.request(method, path, **options)
        assert answer.is_success, f"{answer.status_code} {answer.text}"
        return answer.json() if answer.content else None


def sign_up(stack: Stack, nombre: str) -> Person:
    """A new person with an address that nobody else has."""
    email, client = _newcomer(stack, nombre)
    body = {"email": email, "password": PASSWORD, "data": {"nombre": nombre}}
    return _signed_in(nombre, email, client, client.post("/auth/v1/signup", json=body))


def import_person(stack: Stack, nombre: str) -> Person:
    """A new person whom the operator brought with a hash that takes 1 ms to check, signed in."""
    email, client = _newcomer(stack, nombre)
    body = {
        "email": email,
        "password_hash": _CHEAP_HASH,
        "email_confirm": True,
        "user_metadata": {"nombre": nombre},
    }
    operator = {"apikey": stack.keys["SUPABASE_SECRET_KEY"]}
    answer = client.post("/auth/v1/admin/users", json=body, headers=operator)
    assert answer.is_success, answer.text
    body = {"email": email, "password": PASSWORD}
    answer = client.post("/auth/v1/token?grant_type=password", json=body)
    return _signed_in(nombre, email, client, answer)


def make_couple(
    stack: Stack, join: Callable[[Stack, str], Person] = import_person
) -> tuple[Person, Person]:
    """Two people, paired by an invitation."""
    ana, luis = join(stack, "Ana"), join(stack, "Luis")
    invitation = ana.rpc("crear_invitacion")
    luis.rpc("aceptar_invitacion", codigo=invitation["codigo"])
    return ana, luis


def _newcomer(stack: Stack, nombre: str) -> tuple[str, httpx2.Client]:
    client = httpx2.Client(
        base_url=stack.url,
        headers={"apikey": stack.keys["SUPABASE_PUBLISHABLE_KEY"]},
        timeout=60,
        limits=httpx2.Limits(max_keepalive_connections=0),  # nobody closes the client
        verify=_NO_AUTHORITIES,
    )
    return f"{nombre.lower()}-{os.getpid()}-{next(_NUMBERS)}@example.com", client


def _signed_in(nombre: str, email: str, client: httpx2.Client, answer: httpx2.Response) -> Person:
    assert answer.is_success, answer.text
    session = answer.json()
    client.headers["authorization"] = f"Bearer {session['access_token']}"
    return Person(email, PASSWORD, nombre, session["user"]["id"], client, session)
