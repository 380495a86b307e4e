"""Content negotiation: the media type of the response, and its handler (rest reference 6)."""

from __future__ import annotations

from compat_base.values.errors import ApiError
from rest_compat.catalog.model import Builtin, CustomHandler, SchemaCache
from rest_compat.errors import MEDIA_TYPE
from rest_compat.http.media_types import ANY, OPENAPI, MediaKind, MediaType
from rest_compat.names import QualifiedName
from rest_compat.plan.model import BuiltinHandler, Handler

Choice = tuple[Handler, MediaType]

_BUILTIN = {
    Builtin.JSON: BuiltinHandler.JSON,
    Builtin.CSV: BuiltinHandler.CSV,
    Builtin.GEOJSON: BuiltinHandler.GEOJSON,
}
_VENDORED = {
    MediaKind.OBJECT: BuiltinHandler.OBJECT,
    MediaKind.OBJECT_STRIPPED: BuiltinHandler.OBJECT_STRIPPED,
    MediaKind.ARRAY_STRIPPED: BuiltinHandler.JSON_STRIPPED,
}
_ROOT_KINDS = frozenset({MediaKind.OPENAPI, MediaKind.JSON, MediaKind.ANY})


def negotiate(
    cache: SchemaCache,
    relation: QualifiedName,
    accepts: tuple[MediaType, ...],
    *,
    everything: bool,
    plans: bool,
) -> Choice:
    """The first accepted type with a handler; `everything`: select is a plain `*`."""
    for media in accepts:
        found = _handler(cache, relation, media, everything=everything, plans=plans)
        if found is not None:
            return found
    raise _unacceptable(accepts)


def negotiate_root(accepts: tuple[MediaType, ...]) -> MediaType:
    """The type of the root document."""
    if any(media.kind in _ROOT_KINDS for media in accepts):
        return OPENAPI
    raise _unacceptable(accepts)


def _handler(
    cache: SchemaCache,
    relation: QualifiedName,
    media: MediaType,
    *,
    everything: bool,
    plans: bool,
) -> Choice | None:
    if media.plan is not None:
        inner = media.plan.of
        found = _handler(cache, relation, inner, everything=everything, plans=False)
        return (found[0], media) if plans and found is not None else None
    if media.kind in _VENDORED:
        return _VENDORED[media.kind], media
    keys = [(relation, ANY), (relation, media)] if everything else []
    for key in (*keys, (None, media)):
        found = cache.handlers.get(key)
        if found is not None:
            handler, sent_as = found
            made = handler if isinstance(handler, CustomHandler) else _BUILTIN[handler]
            return made, sent_as
    return None


def _unacceptable(accepts: tuple[MediaType, ...]) -> ApiError:
    return ApiError.of(MEDIA_TYPE, accepted=", ".join(media.mime() for media in accepts))
