"""Request bodies and queries of sign-ins by providers: records, and how they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gotrue_compat.http.go_struct import go_struct
from gotrue_compat.http.incoming import Incoming

_ID_TOKEN = go_struct(
    "IdTokenGrantParams",
    "id_token access_token nonce provider client_id issuer",
    flags="link_identity",
)


@dataclass(frozen=True, slots=True)
class Callback:
    """A provider's callback, as query or form."""

    state: str = ""
    code: str = ""
    error: str = ""
    error_description: str = ""
    oauth_token: str = ""
    oauth_verifier: str = ""
    form: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class IdTokenRequest:
    """What a client sends; `link_identity` links to the user whose token was sent."""

    id_token: str = ""
    provider: str = ""
    client_id: str = ""
    issuer: str = ""
    access_token: str = ""
    nonce: str = ""
    link_identity: bool = False


@dataclass(frozen=True, slots=True)
class ProviderSignIn:
    """What a client sends; `more` is passed on to the provider."""

    provider: str = ""
    scopes: str = ""
    code_challenge: str = ""
    code_challenge_method: str = ""
    invite_token: str = ""
    skip_redirect: bool = False
    more: Mapping[str, str] = field(default_factory=dict[str, str])


def start(incoming: Incoming) -> ProviderSignIn:
    """GET /authorize and GET /user/identities/authorize."""
    query = incoming.query
    return ProviderSignIn(
        provider=query.get("provider", ""),
        scopes=query.get("scopes", ""),
        code_challenge=query.get("code_challenge", ""),
        code_challenge_method=query.get("code_challenge_method", ""),
        invite_token=query.get("invite_token", ""),
        skip_redirect=query.get("skip_http_redirect", "") == "true",
        more=query,
    )


def callback(incoming: Incoming) -> Callback:
    """GET and POST /callback."""
    fields = {**incoming.query, **incoming.form}
    return Callback(
        state=fields.get("state", ""),
        code=fields.get("code", ""),
        error=fields.get("error", ""),
        error_description=fields.get("error_description", ""),
        oauth_token=fields.get("oauth_token", ""),
        oauth_verifier=fields.get("oauth_verifier", ""),
        form=incoming.form,
    )


def id_token(incoming: Incoming) -> IdTokenRequest:
    """POST /token?grant_type=id_token."""
    body = incoming.json_of(_ID_TOKEN)
    return IdTokenRequest(
        id_token=body.text("id_token").strip(),
        provider=body.text("provider"),
        client_id=body.text("client_id"),
        issuer=body.text("issuer"),
        access_token=body.text("access_token"),
        nonce=body.text("nonce"),
        link_identity=body.flag("link_identity"),
    )
