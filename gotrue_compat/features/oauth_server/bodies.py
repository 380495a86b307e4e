"""Request bodies and queries of the OAuth server: records, and how they are read."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from uuid import UUID

from compat_base.values.errors import ApiError, Row
from gotrue_compat.features.oauth_server import errors as oauth_server_errors
from gotrue_compat.http.incoming import Incoming, Members


@dataclass(frozen=True, slots=True)
class AuthorizeRequest:
    """A client's request, as the browser brings it."""

    client_id: str = ""
    redirect_uri: str = ""
    response_type: str = ""
    scope: str = ""
    state: str = ""
    resource: str = ""
    code_challenge: str = ""
    code_challenge_method: str = ""
    nonce: str = ""


@dataclass(frozen=True, slots=True)
class ConsentDecision:
    """A user's decision, and the page that it is made on."""

    authorization_id: str
    origin: str
    incoming: Incoming

    @property
    def action(self) -> str:
        """`approve` or `deny`, or what else was sent; ApiError for a body that is no JSON."""
        with _worded(oauth_server_errors.OAUTH_CONSENT_BODY):
            return self.incoming.leading_json.text("action")


@dataclass(frozen=True, slots=True)
class ClientChange:
    """A change of one client, read once it is known that there is one."""

    client_id: UUID
    incoming: Incoming


@dataclass(frozen=True, slots=True)
class ClientRecord:
    """What is sent of a client; None means not given."""

    redirect_uris: tuple[str, ...] | None = None
    grant_types: tuple[str, ...] | None = None
    client_name: str | None = None
    client_uri: str | None = None
    logo_uri: str | None = None
    client_type: str = ""
    token_endpoint_auth_method: str | None = None


@dataclass(frozen=True, slots=True)
class TokenRequest:
    """What a client sends; `authorization` is its header of that name.

    `is_json`: whether its Content-Type is JSON. `is_readable` is false where not even
    the client's id and secret can be read, `is_whole` where anything cannot.
    """

    grant_type: str = ""
    code: str = ""
    refresh_token: str = ""
    redirect_uri: str = ""
    client_id: str = ""
    client_secret: str = ""
    code_verifier: str = ""
    resource: str = ""
    authorization: str = ""
    is_readable: bool = True
    is_whole: bool = True
    is_json: bool = False


def oauth_client(incoming: Incoming) -> ClientRecord:
    """POST /admin/oauth/clients and POST /oauth/clients/register."""
    with _worded(oauth_server_errors.OAUTH_BODY):
        return _oauth_client(incoming.leading_json)


def _oauth_client(body: Members) -> ClientRecord:
    return ClientRecord(
        redirect_uris=body.texts("redirect_uris"),
        grant_types=body.texts("grant_types"),
        client_name=body.optional_text("client_name"),
        client_uri=body.optional_text("client_uri"),
        logo_uri=body.optional_text("logo_uri"),
        client_type=body.text("client_type"),
        token_endpoint_auth_method=body.optional_text("token_endpoint_auth_method"),
    )


def oauth_client_id(incoming: Incoming) -> UUID:
    """Paths below /admin/oauth/clients/{client_id}."""
    return incoming.uuid("client_id", oauth_server_errors.OAUTH_CLIENT_ID_FORM)


def oauth_client_change(incoming: Incoming) -> ClientChange:
    """PUT /admin/oauth/clients/{client_id}."""
    return ClientChange(oauth_client_id(incoming), incoming)


def oauth_authorize(incoming: Incoming) -> AuthorizeRequest:
    """GET /oauth/authorize."""
    query = incoming.query
    return AuthorizeRequest(
        client_id=query.get("client_id", ""),
        redirect_uri=query.get("redirect_uri", ""),
        response_type=query.get("response_type", ""),
        scope=query.get("scope", ""),
        state=query.get("state", ""),
        resource=query.get("resource", ""),
        code_challenge=query.get("code_challenge", ""),
        code_challenge_method=query.get("code_challenge_method", ""),
        nonce=query.get("nonce", ""),
    )


def authorization(incoming: Incoming) -> ConsentDecision:
    """Paths below /oauth/authorizations/{authorization_id}."""
    origin = incoming.request.header("origin") or ""
    return ConsentDecision(incoming.path["authorization_id"], origin, incoming)


def oauth_token(incoming: Incoming) -> TokenRequest:
    """POST /oauth/token, as a form or as JSON."""
    header = incoming.request.header("authorization") or ""
    is_json = "application/json" in (incoming.request.header("content-type") or "")
    fields = {} if is_json else {**incoming.query, **incoming.form}
    try:
        body = incoming.json if is_json else Members(fields)
        return TokenRequest(
            grant_type=body.text("grant_type"),
            code=body.text("code"),
            refresh_token=body.text("refresh_token"),
            redirect_uri=body.text("redirect_uri"),
            client_id=body.text("client_id"),
            client_secret=body.text("client_secret"),
            code_verifier=body.text("code_verifier"),
            resource=body.text("resource") if is_json else "",  # of forms the original takes none
            authorization=header,
        )
    except ApiError:  # judged once it is known whether the client needs the body to prove itself
        return _client_alone(incoming, TokenRequest(authorization=header, is_json=is_json))


def _client_alone(incoming: Incoming, request: TokenRequest) -> TokenRequest:
    try:
        body = incoming.json
        client_id, secret = body.text("client_id"), body.text("client_secret")
    except ApiError:
        return replace(request, is_readable=False, is_whole=False)
    return replace(request, client_id=client_id, client_secret=secret, is_whole=False)


@contextmanager
def _worded(row: Row) -> Generator[None]:
    """Refuse a body that is not of the right form by this row."""
    try:
        yield
    except ApiError as error:
        raise ApiError.of(row) from error


def granted_client(incoming: Incoming) -> str:
    """DELETE /user/oauth/grants."""
    return incoming.query.get("client_id", "")
