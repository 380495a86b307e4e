"""SCIM's discovery (RFC 7644, section 4), all of SCIM that the original has; off by default."""

from __future__ import annotations

from gotrue_compat.core.results import Json
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies

PATH = "/scim/v2"
_TYPE = "application/scim+json"
_MESSAGES = "urn:ietf:params:scim:api:messages:2.0"


async def provider_config(deps: Dependencies, _context: RequestContext, _body: None) -> Json:
    """SCIM's service provider configuration: nothing is supported yet."""
    none = {"supported": False}
    config = {
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
        "patch": none,
        "bulk": {**none, "maxOperations": 0, "maxPayloadSize": 0},
        "filter": {**none, "maxResults": 0},
        "changePassword": none,
        "sort": none,
        "etag": none,
        "authenticationSchemes": [
            {
                "type": "oauthbearertoken",
                "name": "OAuth Bearer Token",
                "description": "Authentication scheme using the OAuth Bearer Token Standard",
                "specUri": "http://www.rfc-editor.org/info/rfc6750",
                "primary": True,
            }
        ],
        "meta": {
            "resourceType": "ServiceProviderConfig",
            "location": f"{deps.settings.api.external_url.rstrip('/')}{PATH}/ServiceProviderConfig",
        },
    }
    return Json(config, content_type=_TYPE)


async def nothing_yet(_deps: Dependencies, context: RequestContext, _body: None) -> Json:
    """An empty list; filters are refused."""
    if "filter" in context.incoming.query:
        return _error(403, "Filtering is not supported on this endpoint")
    found: dict[str, object] = {
        "schemas": [f"{_MESSAGES}:ListResponse"],
        "totalResults": 0,
        "startIndex": 1,
        "itemsPerPage": 0,
        "Resources": [],
    }
    return Json(found, content_type=_TYPE)


def missing() -> Json:
    """The 404 of other SCIM paths."""
    return _error(404, "Endpoint or resource does not exist")


def _error(status: int, detail: str) -> Json:
    error = {"schemas": [f"{_MESSAGES}:Error"], "detail": detail, "status": str(status)}
    return Json(error, status, content_type=_TYPE)
