"""Presence of a room (realtime reference 9): tracked objects in, differences out.

A member has at most one meta under its key; several members may share a key. The reference of a
meta (`phx_ref`) is any unique text, given by the caller. A tracked object stays the JSON text that
its member sent, so that a room's state is concatenated and never encoded.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from compat_base.values import jsontext

COMPARED = 16_384  # characters of an object up to which one in another order is known again
META_BYTES = 200  # of a meta's references and punctuation, at most
Member = tuple[str, int]  # the node of a socket, and the channel


@dataclass(frozen=True, slots=True)
class Meta:
    """One tracked object of one member; `node`: where the member's socket is.

    `value` is the JSON text of an object.
    """

    key: str
    ref: str
    value: str
    previous: str | None = None
    node: str = ""

    def to_json(self) -> str:
        """The object as clients see it; of a member that is there twice, readers take the last."""
        refs = {"phx_ref": self.ref}
        if self.previous is not None:
            refs["phx_ref_prev"] = self.previous
        members = self.value.strip()[1:-1].strip()
        return f"{{{members}{',' if members else ''}{jsontext.encode(refs)[1:]}"

    @property
    def size(self) -> int:
        """About how many characters of a room's state it takes."""
        return META_BYTES + len(self.key) + len(self.value)


@dataclass(frozen=True, slots=True)
class Diff:
    """What changed at once: an update is one diff with both sides."""

    joins: tuple[Meta, ...] = ()
    leaves: tuple[Meta, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything changed."""
        return bool(self.joins or self.leaves)

    def then(self, later: Diff) -> Diff:
        """Merge two: clients apply joins first, so a member that joined and left is gone again."""
        return Diff(self.joins + later.joins, self.leaves + later.leaves)

    def to_json(self) -> str:
        """The payload of `presence_diff`."""
        return f'{{"joins":{by_key_json(self.joins)},"leaves":{by_key_json(self.leaves)}}}'


@dataclass(slots=True)
class Room:
    """The metas of one room by member, in the order they came."""

    metas: dict[Member, Meta] = field(default_factory=dict[Member, Meta])
    size: int = 0  # characters of its state, about

    def track(self, member: Member, key: str, value: str, ref: str, node: str = "") -> Diff:
        """Set a member's object; no difference where it is unchanged."""
        old = self.metas.get(member)
        if old is not None and old.key == key and _is_same(old.value, value):
            return Diff()
        return self._set(member, Meta(key, ref, value, old.ref if old else None, node), old)

    def untrack(self, member: Member) -> Diff:
        """Remove a member."""
        old = self.metas.pop(member, None)
        if old is None:
            return Diff()
        self.size -= old.size
        return Diff(leaves=(old,))

    def put(self, member: Member, meta: Meta) -> Diff:
        """Set another node's member; unchanged objects make no difference."""
        old = self.metas.get(member)
        return Diff() if old == meta else self._set(member, meta, old)

    def _set(self, member: Member, meta: Meta, old: Meta | None) -> Diff:
        self.metas[member] = meta
        self.size += meta.size - (old.size if old else 0)
        return Diff((meta,), (old,) if old else ())

    def state_json(self) -> str:
        """The payload of `presence_state`."""
        return by_key_json(self.metas.values())


def _is_same(one: str, other: str) -> bool:
    """Whether two texts are the same object, also with its members in another order."""
    if one == other or len(one) != len(other) or len(one) > COMPARED:
        return one == other
    try:
        return _sorted(one) == _sorted(other)
    except (ValueError, RecursionError):  # thousands of digits, or of values inside one another
        return False


def _sorted(text: str) -> str:
    return json.dumps(json.loads(text), sort_keys=True)


def by_key_json(metas: Iterable[Meta]) -> str:
    """Metas grouped as the wire shows them: key → {"metas": […]}."""
    shown: dict[str, list[str]] = {}
    for meta in metas:
        shown.setdefault(meta.key, []).append(meta.to_json())
    members = (f'{jsontext.encode(k)}:{{"metas":[{",".join(all_)}]}}' for k, all_ in shown.items())
    return f"{{{','.join(members)}}}"
