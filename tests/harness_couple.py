"""People of the planner, acting through HTTP as any client would."""

from __future__ import annotations

import itertools
import os
import weakref
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import httpx2

from tests.harness_stack import Stack

PASSWORD = "secreto-123"
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
    email = f"{nombre.lower()}-{os.getpid()}-{next(_NUMBERS)}@example.com"
    key = stack.keys["SUPABASE_PUBLISHABLE_KEY"]
    client = httpx2.Client(
        base_url=stack.url,
        headers={"apikey": key},
        timeout=20,
        limits=httpx2.Limits(max_keepalive_connections=0),  # nobody closes the client
    )
    body = {"email": email, "password": PASSWORD, "data": {"nombre": nombre}}
    answer = client.post("/auth/v1/signup", json=body)
    assert answer.is_success, answer.text
    session = answer.json()
    client.headers["authorization"] = f"Bearer {session['access_token']}"
    return Person(email, PASSWORD, nombre, session["user"]["id"], client, session)


def make_couple(stack: Stack) -> tuple[Person, Person]:
    """Two people, paired by an invitation."""
    ana, luis = sign_up(stack, "Ana"), sign_up(stack, "Luis")
    invitation = ana.rpc("crear_invitacion")
    luis.rpc("aceptar_invitacion", codigo=invitation["codigo"])
    return ana, luis
