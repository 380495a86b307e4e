"""A couple with something to hide, somebody else, and nobody at all."""

from __future__ import annotations

import weakref
from dataclasses import dataclass

import httpx2

from tests.harness_couple import Person, import_person, make_couple
from tests.harness_stack import Stack


@dataclass(frozen=True)
class Cast:
    """`activity` is Ana's, pending; `eva` is in no couple; `nobody` has only the public key."""

    ana: Person
    luis: Person
    eva: Person
    nobody: httpx2.Client
    activity: str

    def __post_init__(self) -> None:
        # An unclosed socket is a warning, and a warning fails whichever test runs then.
        weakref.finalize(self, self.nobody.close)


def make_cast(stack: Stack) -> Cast:
    """The people of an access test; the activity's texts are the secrets."""
    ana, luis = make_couple(stack)
    activity = ana.create_activity(
        "Viaje secreto", "2036-12-24", descripcion="Nadie lo sabe", presupuesto=1234.5
    )
    headers = {"apikey": stack.keys["SUPABASE_PUBLISHABLE_KEY"]}
    nobody = httpx2.Client(base_url=stack.url, headers=headers, timeout=60)
    return Cast(ana, luis, import_person(stack, "Eva"), nobody, activity)
