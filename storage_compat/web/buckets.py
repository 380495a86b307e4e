"""Handlers of `/bucket` (storage reference 3)."""

from __future__ import annotations

import re

from compat_base.values.http import HttpResponse
from storage_compat.flows import buckets
from storage_compat.store.buckets import Listing
from storage_compat.web.calls import Call
from storage_compat.web.views import bucket_view, json_answer

_VERSION = r"([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})"


async def create(call: Call) -> HttpResponse:
    """Make a bucket."""
    name = await buckets.create(call.deps, call.context, call.body)
    return json_answer({"name": name})


async def list_all(call: Call) -> HttpResponse:
    """The buckets that the caller may see."""
    query = call.query
    listing = Listing(
        limit=query["limit"],
        offset=query["offset"],
        column=query["sortColumn"] or "created_at",
        # An order without a column is none, as in the original
        is_descending=bool(query["sortColumn"]) and query["sortOrder"] == "desc",
        search=query["search"] or "",
    )
    kind = {} if _is_old_python(call) else {"type": "STANDARD"}
    found = await buckets.find_all(call.deps, call.context, listing)
    return json_answer([bucket_view(bucket) | kind for bucket in found])


async def get(call: Call) -> HttpResponse:
    """One bucket."""
    return json_answer(bucket_view(await buckets.get(call.deps, call.context, call.bucket)))


async def update(call: Call) -> HttpResponse:
    """Change what the body names of a bucket."""
    await buckets.update(call.deps, call.context, call.bucket, call.body)
    return json_answer({"message": "Successfully updated"})


async def empty(call: Call) -> HttpResponse:
    """Remove everything in a bucket, in the background."""
    await buckets.empty(call.deps, call.context, call.bucket)
    message = "Empty bucket has been queued. Completion may take up to an hour."
    return json_answer({"message": message})


async def delete(call: Call) -> HttpResponse:
    """Delete an empty bucket."""
    await buckets.delete(call.deps, call.context, call.bucket)
    return json_answer({"message": "Successfully deleted"})


def _is_old_python(call: Call) -> bool:
    """Whether the client fails over a property that it does not know."""
    client = re.search(
        rf"supabase-py/{_VERSION}", call.headers.get("x-client-info", ""), re.IGNORECASE
    )
    if client and tuple(map(int, client.groups())) < (2, 18, 0):
        return True
    agent = re.search(
        rf"supabase-py/storage3 v{_VERSION}", call.headers.get("user-agent", ""), re.IGNORECASE
    )
    return bool(agent) and tuple(map(int, agent.groups())) < (0, 12, 1)
