"""Who is present in a room (realtime reference 9): tracked objects in, differences out.

A member holds at most one meta under its key; several members may share a key. The reference of a
meta (`phx_ref`) is any unique text, given by the caller.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from compat_base.values import jsontext

Object = dict[str, Any]
Member = tuple[str, int]  # the node of a socket, and the channel


@dataclass(frozen=True, slots=True)
class Meta:
    """One tracked object of one member; `node` tells where the member's socket is."""

    key: str
    ref: str
    value: Object
    previous: str | None = None
    node: str = ""

    def shown(self) -> Object:
        """The object as clients see it."""
        refs = {"phx_ref": self.ref}
        if self.previous is not None:
            refs["phx_ref_prev"] = self.previous
        return self.value | refs


@dataclass(frozen=True, slots=True)
class Diff:
    """What changed at once: an update is one diff with both sides."""

    joins: tuple[Meta, ...] = ()
    leaves: tuple[Meta, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything changed."""
        return bool(self.joins or self.leaves)

    def then(self, later: Diff) -> Diff:
        """Both as one: clients take the joins first, so what came and went is gone again."""
        return Diff(self.joins + later.joins, self.leaves + later.leaves)

    def to_json(self) -> str:
        """The payload of `presence_diff`."""
        sides = {"joins": by_key(self.joins), "leaves": by_key(self.leaves)}
        return jsontext.encode(sides)


@dataclass(slots=True)
class Room:
    """The metas of one room by member, in the order they came."""

    metas: dict[Member, Meta] = field(default_factory=dict[Member, Meta])

    def track(self, member: Member, key: str, value: Object, ref: str, node: str = "") -> Diff:
        """Set a member's object; no difference where it is the same as before."""
        old = self.metas.get(member)
        if old is not None and old.key == key and _is_same(old.value, value):
            return Diff()
        meta = Meta(key, ref, value, old.ref if old else None, node)
        self.metas[member] = meta
        return Diff((meta,), (old,) if old else ())

    def untrack(self, member: Member) -> Diff:
        """Forget a member."""
        old = self.metas.pop(member, None)
        return Diff(leaves=(old,)) if old else Diff()

    def put(self, member: Member, meta: Meta) -> Diff:
        """Take over what another node says of its member; nothing new makes no difference."""
        old = self.metas.get(member)
        if old == meta:
            return Diff()
        self.metas[member] = meta
        return Diff((meta,), (old,) if old else ())

    def state_json(self) -> str:
        """The payload of `presence_state`."""
        return jsontext.encode(by_key(self.metas.values()))


def _is_same(one: Object, other: Object) -> bool:
    """Whether two objects are the same JSON: to Python 1 and true are equal, too."""
    return one == other and json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def by_key(metas: Iterable[Meta]) -> dict[str, Any]:
    """Metas grouped as the wire shows them: key → {"metas": […]}."""
    shown: dict[str, Any] = {}
    for meta in metas:
        shown.setdefault(meta.key, {"metas": []})["metas"].append(meta.shown())
    return shown
