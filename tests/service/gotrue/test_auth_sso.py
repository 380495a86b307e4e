"""Single sign-on by SAML: auth reference 9.7."""

from __future__ import annotations

import base64
import os
import zlib
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit
from uuid import UUID, uuid4

import pytest
import pytest_asyncio
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from lxml import etree

from gotrue_compat.features.sso.saml_metadata import read_metadata
from gotrue_compat.ports import HttpAnswer, HttpCall, UnreachableError
from tests.harness_auth import Auth, admin_token, claims_of, location, pkce_pair, problem
from tests.harness_saml import AUDIENCE, ENTITY, Provider

ADMIN = admin_token()
METADATA = "urn:oasis:names:tc:SAML:2.0:metadata"
NOT_VALID = ("invalid_request", "validation_failed", "SAML Assertion is not valid")


@pytest.fixture(scope="module")
def idp() -> Provider:
    return Provider()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def saml(open_with, idp: Provider) -> Auth:
    key = rsa.generate_private_key(65537, 2048).private_bytes(
        Encoding.DER, PrivateFormat.TraditionalOpenSSL, NoEncryption()
    )
    auth = await open_with(
        nodes=2, GOTRUE_SAML_ENABLED="true", GOTRUE_RATE_LIMIT_STORE="database",
        GOTRUE_SAML_PRIVATE_KEY=base64.b64encode(key).decode(),
    )  # fmt: skip
    body = {
        "type": "saml", "metadata_xml": idp.metadata(), "domains": ["Company.example"],
        "attribute_mapping": {"keys": {"team": {"name": "team"}}}, "resource_id": "r1",
    }  # fmt: skip
    made = await auth.post("/admin/sso/providers", body, token=ADMIN)
    assert made.status_code == 201, made.text
    return auth


async def _started(saml: Auth, **more) -> tuple[str, str]:
    """The id of the request that a browser carries, and the relay state."""
    body = {"domain": "company.example", "skip_http_redirect": True} | more
    url = (await saml.post("/sso", body)).json()["url"]
    query = parse_qs(urlsplit(url).query)
    assert {"SAMLRequest", "RelayState", "SigAlg", "Signature"} == set(query)
    packed = base64.b64decode(query["SAMLRequest"][0])
    request = etree.fromstring(zlib.decompress(packed, -15))
    return request.get("ID"), query["RelayState"][0]


async def _posted(saml: Auth, response: str, relay: str):
    return await saml.client.post(
        "/sso/saml/acs", data={"SAMLResponse": response, "RelayState": relay},
        headers={"X-Supabase-Api-Version": "2024-01-01"},
    )  # fmt: skip


def _refusal(answer) -> tuple[str, str, str]:
    """How a browser is told, at the site, that nobody was signed in."""
    assert answer.status_code == 303, answer.text
    place, query, fragment = location(answer)
    assert (place, fragment) == ("http://localhost:3000", {})
    return query["error"], query["error_code"], query["error_description"]


async def test_an_assertion_signs_in(saml: Auth, idp: Provider, email: str):
    request_id, relay = await _started(saml, redirect_to="https://app.example.com/in")
    kept = await saml.rows(
        "select f.code_challenge, f.auth_code, f.referrer from auth.flow_state f "
        "join auth.saml_relay_states r on r.flow_state_id = f.id where r.id = $1", UUID(relay),
    )  # fmt: skip
    assert [tuple(row.values()) for row in kept] == [(None, None, "https://app.example.com/in")]
    response = idp.answer(email, request_id)
    answer = await _posted(saml, response, relay)
    assert answer.status_code == 302, answer.text
    place, _, fragment = location(answer)
    assert place == "https://app.example.com/in"
    claims = claims_of(fragment["access_token"])
    assert claims["amr"][0]["method"] == "sso/saml"
    assert claims["amr"][0]["provider"]
    user = (await saml.get("/user", token=fragment["access_token"])).json()
    assert user["identities"][0]["identity_data"]["custom_claims"] == {"team": "azul"}
    assert user["app_metadata"]["provider"].startswith("sso:")
    replay = await _posted(saml, response, relay)
    assert _refusal(replay)[:2] == ("server_error", "saml_relay_state_not_found")
    sso_only = await saml.put("/user", {"password": "123456"}, token=fragment["access_token"])
    assert problem(sso_only)[:2] == (422, "user_sso_managed")


async def test_an_assertion_whose_token_a_hook_refuses_signs_nobody_in(
    open_with, saml: Auth, idp: Provider, email: str
):
    await saml.rows(
        "create or replace function public.no_token(event jsonb) returns jsonb language sql as "
        """$$ select '{"error": {"http_code": 403, "message": "not you"}}'::jsonb $$"""
    )
    guarded = await open_with(
        GOTRUE_SAML_ENABLED="true", GOTRUE_SAML_PRIVATE_KEY=own_key(),
        GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_ENABLED="true",
        GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_URI="pg-functions://postgres/public/no_token",
    )  # fmt: skip
    request_id, relay = await _started(guarded)
    assert _refusal(await _posted(guarded, idp.answer(email, request_id), relay)) == (
        "server_error", "unexpected_failure",
        "Unable to issue refresh token from SAML Assertion",
    )  # fmt: skip


async def test_a_relay_state_in_the_query_counts(saml: Auth, idp: Provider, email: str):
    request_id, relay = await _started(saml, redirect_to="https://app.example.com/in")
    form = {"SAMLResponse": idp.answer(email, request_id)}
    answer = await saml.client.post("/sso/saml/acs", params={"RelayState": relay}, data=form)
    assert location(answer)[0] == "https://app.example.com/in"


async def test_what_the_database_refuses_of_a_provider_is_shown_in_the_old_body(saml: Auth):
    path = "/admin/sso/providers/resource_r1"
    refused = await saml.put(path, {"domains": [""]}, token=ADMIN, old=True)
    assert (refused.status_code, refused.json()["code"]) == (500, "23514")


async def test_an_assertion_is_shown_once_whoever_began(saml: Auth, idp: Provider, email: str):
    response = idp.answer(email)  # nobody asked for it: the provider began
    assert (await _posted(saml, response, "https://app.example.com/in")).status_code == 302
    for relay in ("https://app.example.com/in", "", (await _started(saml))[1]):
        assert _refusal(await _posted(saml, response, relay)) == NOT_VALID
    answered = idp.answer(email, (started := await _started(saml))[0])
    assert (await _posted(saml, answered, started[1])).status_code == 302
    assert _refusal(await _posted(saml, answered, "")) == NOT_VALID


TRICKS = (
    "http://evil.example\\@localhost:3000/", "https://app.example.com@evil.example/x",
    "//evil.example/", "https://evil.example/app.example.com/x", "javascript://app.example.com/%0a",
)  # fmt: skip


@pytest.mark.parametrize("address", TRICKS)
async def test_an_assertion_leads_to_the_site_whatever_is_asked(
    saml: Auth, idp: Provider, email: str, address: str
):
    request_id, relay = await _started(saml, redirect_to=address)
    answered = await _posted(saml, idp.answer(email, request_id), relay)
    assert (answered.status_code, location(answered)[0]) == (302, "http://localhost:3000")
    begun_there = await _posted(saml, idp.answer(email), address)
    if begun_there.status_code == 303:
        assert _refusal(begun_there)[1] == "validation_failed"
    else:
        assert location(begun_there)[0] == "http://localhost:3000"


async def test_sso_by_pkce(saml: Auth, idp: Provider, email: str):
    verifier, challenge = pkce_pair()
    pair = {"code_challenge": challenge, "code_challenge_method": "s256"}
    request_id, relay = await _started(saml, **pair)
    answer = await _posted(saml, idp.answer(email, request_id), relay)
    body = {"auth_code": location(answer)[1]["code"], "code_verifier": verifier}
    session = await saml.post("/token?grant_type=pkce", body)
    assert claims_of(session.json()["access_token"])["amr"][0]["method"] == "sso/saml"


@pytest.mark.parametrize(
    "more",
    [
        {"audience": "https://somebody.else"},
        {"end": "2020-01-01T00:00:00+00:00"},
        {"forged": "boss@company.example"},
    ],
)
async def test_assertions_that_are_not_for_us_now_by_them(saml, idp, email: str, more):
    request_id, relay = await _started(saml)
    answer = await _posted(saml, idp.answer(email, request_id, **more), relay)
    assert _refusal(answer) == NOT_VALID


async def test_assertions_of_another_key(saml: Auth, email: str):
    request_id, relay = await _started(saml)
    answer = await _posted(saml, Provider().answer(email, request_id), relay)
    assert _refusal(answer) == NOT_VALID


async def test_a_wrapped_assertion_is_not_believed(saml: Auth, idp: Provider, email: str):
    request_id, relay = await _started(saml)
    root = etree.fromstring(base64.b64decode(idp.answer(email, request_id)))
    [assertion] = root.xpath("//*[local-name()='Assertion']")
    fake = etree.fromstring(etree.tostring(assertion))
    for node in fake.xpath("//*[local-name()='Signature']"):
        node.getparent().remove(node)
    fake.set("ID", "_fake")
    fake.xpath("//*[local-name()='NameID']")[0].text = "boss@company.example"
    root.insert(root.index(assertion), fake)
    wrapped = base64.b64encode(etree.tostring(root)).decode()
    assert _refusal(await _posted(saml, wrapped, relay)) == NOT_VALID


async def test_metadata_and_providers(saml: Auth, idp: Provider):
    metadata = await saml.get("/sso/saml/metadata")
    assert metadata.headers["content-type"] == "application/xml"
    assert metadata.headers["cache-control"] == "public, max-age=600"
    assert etree.fromstring(metadata.content).get("entityID") == AUDIENCE
    kept = await saml.get("/sso/saml/metadata?download=true")
    assert kept.headers["content-disposition"] == 'attachment; filename="metadata.xml"'
    [listed] = (await saml.get("/admin/sso/providers", token=ADMIN)).json()["items"]
    assert "metadata_xml" not in listed["saml"]
    assert listed["domains"] == [{"domain": "company.example"}]
    one = await saml.get("/admin/sso/providers/resource_R1", token=ADMIN)
    assert one.json()["saml"]["entity_id"] == ENTITY
    again = await saml.post(
        "/admin/sso/providers", {"type": "saml", "metadata_xml": idp.metadata()}, token=ADMIN
    )
    assert problem(again)[:2] == (422, "saml_idp_already_exists")
    bad = {"type": "saml", "metadata_xml": "<x/>"}
    refused = await saml.post("/admin/sso/providers", bad, token=ADMIN)
    assert problem(refused)[:2] == (400, "validation_failed")
    path = f"/admin/sso/providers/{listed['id']}"
    off = await saml.put(path, {"disabled": True}, token=ADMIN)
    assert off.json()["disabled"] is True
    start = await saml.post("/sso", {"domain": "company.example"})
    assert problem(start)[:2] == (404, "sso_provider_disabled")
    await saml.put(path, {"disabled": False}, token=ADMIN)
    unknown = await saml.post("/sso", {"domain": "nobody.example"})
    assert problem(unknown)[:2] == (404, "sso_provider_not_found")


async def test_sso_can_be_off(auto: Auth):
    for call in (auto.post("/sso", {"domain": "x"}), auto.get("/sso/saml/metadata")):
        assert problem(await call) == (404, "saml_provider_disabled", "SAML 2.0 is disabled")
    listed = await auto.get("/admin/sso/providers", token=ADMIN)
    assert listed.status_code == 200


XENC = "http://www.w3.org/2001/04/xmlenc#"
OAEP = f"{XENC}rsa-oaep-mgf1p"


def _encrypted(response: str, certificate: str, method: str, transport: str = OAEP) -> str:
    """The response with its assertion encrypted for the holder of a certificate."""
    root = etree.fromstring(base64.b64decode(response))
    [assertion] = root.xpath("//*[local-name()='Assertion']")
    bits = int(method.rpartition("#aes")[2][:3])
    secret, plain = os.urandom(bits // 8), etree.tostring(assertion)
    if method.endswith("-gcm"):
        nonce = os.urandom(12)
        sealed = nonce + AESGCM(secret).encrypt(nonce, plain, None)
    else:
        start, size = os.urandom(16), 16 - len(plain) % 16
        encryptor = Cipher(algorithms.AES(secret), modes.CBC(start)).encryptor()
        sealed = start + encryptor.update(plain + os.urandom(size - 1) + bytes([size]))
    holder = x509.load_der_x509_certificate(base64.b64decode(certificate)).public_key()
    assert isinstance(holder, rsa.RSAPublicKey)
    scheme = padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA1(), None)
    wrapped = holder.encrypt(secret, scheme if transport == OAEP else padding.PKCS1v15())
    encoded = (base64.encodebytes(part).decode() for part in (wrapped, sealed))
    values = [f"<CipherData><CipherValue>{text}</CipherValue></CipherData>" for text in encoded]
    element = f"""<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">
      <EncryptedData xmlns="{XENC}"><EncryptionMethod Algorithm="{method}"/>
      <KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><EncryptedKey xmlns="{XENC}">
      <EncryptionMethod Algorithm="{transport}"/>{values[0]}</EncryptedKey></KeyInfo>
      {values[1]}</EncryptedData></saml:EncryptedAssertion>"""
    root.replace(assertion, etree.fromstring(element))
    return base64.b64encode(etree.tostring(root)).decode()


def own_key() -> str:
    key = rsa.generate_private_key(65537, 2048).private_bytes(
        Encoding.DER, PrivateFormat.TraditionalOpenSSL, NoEncryption()
    )
    return base64.b64encode(key).decode()


@pytest_asyncio.fixture(scope="module", loop_scope="session", params=["key", "next key"])
async def sealed(open_with, saml: Auth, request: pytest.FixtureRequest) -> tuple[Auth, str]:
    """An instance that takes encrypted assertions, and a certificate to encrypt for."""
    auth = await open_with(
        GOTRUE_SAML_ENABLED="true", GOTRUE_SAML_PRIVATE_KEY=own_key(),
        GOTRUE_SAML_PRIVATE_KEY_NEXT=own_key(), GOTRUE_SAML_ALLOW_ENCRYPTED_ASSERTIONS="true",
    )  # fmt: skip
    metadata = etree.fromstring((await auth.get("/sso/saml/metadata")).content)
    path = "//*[local-name()='KeyDescriptor'][@use='encryption']//*[local-name()='X509Certificate']"
    current, following = metadata.xpath(path)
    return auth, (current if request.param == "key" else following).text


@pytest.mark.parametrize(
    "method",
    [
        *(f"http://www.w3.org/2001/04/xmlenc#aes{bits}-cbc" for bits in (128, 256)),
        *(f"http://www.w3.org/2009/xmlenc11#aes{bits}-gcm" for bits in (128, 256)),
    ],
)
async def test_an_encrypted_assertion_signs_in(sealed, idp: Provider, email: str, method: str):
    auth, certificate = sealed
    request_id, relay = await _started(auth)
    response = _encrypted(idp.answer(email, request_id), certificate, method)
    answer = await _posted(auth, response, relay)
    assert answer.status_code == 302, answer.text
    assert claims_of(location(answer)[2]["access_token"])["email"] == email


@pytest.mark.parametrize("wrong", ["forged", "other key", "rsa 1.5", "plain instance"])
async def test_encrypted_assertions_refused(saml: Auth, sealed, idp, email: str, wrong: str):
    auth, certificate = sealed
    auth = saml if wrong == "plain instance" else auth
    request_id, relay = await _started(auth)
    plain = idp.answer(email, request_id)
    if wrong == "forged":
        plain = idp.answer(email, request_id, forged="boss@company.example")
    if wrong == "other key":
        certificate = base64.b64encode(Provider().certificate.public_bytes(Encoding.DER)).decode()
    transport = f"{XENC}rsa-1_5" if wrong == "rsa 1.5" else OAEP
    response = _encrypted(plain, certificate, f"{XENC}aes256-cbc", transport)
    answer = await _posted(auth, response, relay)
    assert _refusal(answer) == NOT_VALID


class Publisher:
    """A server that publishes metadata, or nothing."""

    def __init__(self, metadata: str) -> None:
        self.metadata, self.calls = metadata, 0

    async def send(self, call: HttpCall) -> HttpAnswer:
        self.calls += 1
        if not self.metadata:
            raise UnreachableError("no answer")
        return HttpAnswer(200, {}, self.metadata.encode())


async def test_stale_metadata_are_fetched_again(open_with, saml: Auth, email: str):
    """A provider that changed its key is believed again once its metadata are a day old."""
    old, new = Provider(), Provider()
    entity = "https://moving.example/metadata"
    for provider in (old, new):
        provider.entity = entity
    publisher = Publisher(old.metadata())
    auth = await open_with(
        http=publisher, GOTRUE_SAML_ENABLED="true", GOTRUE_SAML_PRIVATE_KEY=own_key()
    )
    body = {"type": "saml", "metadata_url": entity, "domains": ["moving.example"]}
    made = await auth.post("/admin/sso/providers", body, token=ADMIN)
    assert made.status_code == 201, made.text

    async def enters(provider: Provider) -> bool:
        request_id, relay = await _started(auth, domain="moving.example")
        answer = await _posted(auth, provider.answer(email, request_id), relay)
        return "access_token" in location(answer)[2]

    assert await enters(old)
    publisher.metadata = new.metadata()
    assert not await enters(new)
    assert publisher.calls == 1
    age = "update auth.saml_providers set updated_at = updated_at - interval '25 hours'"
    await auth.rows(age)
    assert await enters(new)
    assert publisher.calls == 2
    await auth.rows(age)
    publisher.metadata = ""
    assert await enters(new)
    publisher.metadata = Provider().metadata()
    await auth.rows(age)
    assert await enters(new)


@pytest.mark.parametrize(
    ("attributes", "age", "stale"),
    [
        ("", timedelta(hours=23), False),
        ("", timedelta(hours=25), True),
        ('cacheDuration="PT1H30M"', timedelta(minutes=89), False),
        ('cacheDuration="PT1H30M"', timedelta(minutes=91), True),
        ('validUntil="2030-01-01T00:00:00Z"', timedelta(days=300), False),
        ('validUntil="2026-01-01T00:00:00Z"', timedelta(0), True),
    ],
)
def test_when_metadata_are_stale(idp: Provider, attributes: str, age: timedelta, stale: bool):
    now = datetime(2026, 11, 1, tzinfo=UTC)
    metadata = read_metadata(idp.metadata().replace("entityID=", f"{attributes} entityID="))
    assert metadata.is_stale(now, now - age) is stale


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (
            {"form": "transient"},
            ("invalid_request", "saml_assertion_no_user_id", "SAML Assertion did not contain a persistent Subject Identifier attribute or Subject NameID uniquely identifying this user"),
        ),
        (
            {"mail": "surname"},
            ("invalid_request", "saml_assertion_no_email", "SAML Assertion does not contain an email address"),
        ),
    ],
)  # fmt: skip
async def test_assertions_that_do_not_say_who(
    saml: Auth, idp: Provider, email: str, more, expected
):
    request_id, relay = await _started(saml)
    assert _refusal(await _posted(saml, idp.answer(email, request_id, **more), relay)) == expected


async def test_requests_that_are_not_ours_any_more(saml: Auth, idp: Provider, email: str):
    request_id, relay = await _started(saml)
    unknown = await _posted(saml, idp.answer(email, request_id), str(uuid4()))
    assert _refusal(unknown) == (
        "server_error", "saml_relay_state_not_found", "SAML RelayState does not exist, try logging in again?",
    )  # fmt: skip
    await saml.rows(
        "update auth.saml_relay_states set created_at = now() - interval '3 minutes'"
        " where id = $1::uuid", relay,
    )  # fmt: skip
    assert _refusal(await _posted(saml, idp.answer(email, request_id), relay)) == (
        "server_error", "saml_relay_state_expired", "SAML RelayState has expired. Try logging in again?",
    )  # fmt: skip
    stranger = Provider()
    stranger.entity = "https://stranger.example/metadata"
    assert _refusal(await _posted(saml, stranger.answer(email), "")) == (
        "server_error", "saml_idp_not_found",
        "A SAML connection has not been established with this Identity Provider",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ({"RelayState": "x"}, "SAML RelayState is not a valid UUID or URL"),
        ({"RelayState": "https://a.example", "SAMLart": "x"}, "SAML Artifact response can only be used with SP initiated flow"),
        ({}, "SAMLResponse is missing"),
        ({"SAMLResponse": "?"}, "SAMLResponse is not a valid Base64 string"),
        ({"SAMLResponse": "eA=="}, "SAMLResponse is not a valid XML SAML assertion"),
        ({"SAMLResponse": "PGEvPg=="}, "SAMLResponse is not a valid XML SAML assertion"),
    ],
)  # fmt: skip
async def test_answers_that_are_none(saml: Auth, form, text: str):
    answer = await saml.client.post("/sso/saml/acs", data=form or {"x": "y"})
    assert _refusal(answer) == ("invalid_request", "validation_failed", text)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [("x", 'length 1 in string "x"'), ("x" * 36, f'format in string "{"x" * 36}"')],
)
async def test_providers_are_named_by_uuid(saml: Auth, text: str, wrong: str):
    answer = await saml.post("/sso", {"provider_id": text})
    assert problem(answer)[1:] == (
        "bad_json", f"Could not parse request body as JSON: uuid: incorrect UUID {wrong}",
    )  # fmt: skip


async def test_a_provider_is_asked_for_the_id_that_it_is_to_give(saml: Auth):
    path = "/admin/sso/providers/resource_r1"
    kinds = "urn:oasis:names:tc:SAML:1.1:nameid-format:"
    wrong = await saml.put(path, {"name_id_format": "x"}, token=ADMIN)
    assert problem(wrong)[2].startswith("name_id_format must be unspecified or one of urn:oasis:")
    formats = []
    for wanted in (f"{kinds}emailAddress", ""):
        changed = await saml.put(path, {"name_id_format": wanted}, token=ADMIN)
        assert changed.status_code == 200, changed.text
        body = {"domain": "company.example", "skip_http_redirect": True}
        url = (await saml.post("/sso", body)).json()["url"]
        packed = base64.b64decode(parse_qs(urlsplit(url).query)["SAMLRequest"][0])
        request = etree.fromstring(zlib.decompress(packed, -15))
        [policy] = request.xpath("//*[local-name()='NameIDPolicy']")
        formats.append(policy.get("Format"))
    lasting = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"
    assert formats == [f"{kinds}emailAddress", lasting]


async def test_a_provider_without_a_certificate_is_kept_and_never_believed(saml: Auth, email: str):
    provider = Provider()
    provider.entity = "https://bare.example"
    start, end = "<KeyDescriptor", "</KeyDescriptor>"
    xml = provider.metadata()
    bare = xml[: xml.index(start)] + xml[xml.index(end) + len(end) :]
    made = await saml.post(
        "/admin/sso/providers", {"type": "saml", "metadata_xml": bare}, token=ADMIN
    )
    assert made.status_code == 201, made.text
    assert made.json()["disabled"] is None  # nothing was said of it
    answer = await saml.client.post("/sso/saml/acs", data={"SAMLResponse": provider.answer(email)})
    assert _refusal(answer)[0] == "invalid_request"
    assert (await saml.delete(f"/admin/sso/providers/{made.json()['id']}", token=ADMIN)).is_success


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"metadata_url": "x"}, "metadata_url is not a valid URL"),
        ({"metadata_url": "http://x"}, "metadata_url is not a HTTPS URL"),
        ({"metadata_xml": "<x/>"}, "SAML Metadata does not contain an EntityID"),
        ({"metadata_xml": f'<EntityDescriptor xmlns="{METADATA}" entityID="e"/>'}, "SAML Metadata does not contain any IDPSSODescriptor"),
        ({"metadata_xml": f'<EntityDescriptor xmlns="{METADATA}" entityID="e"><IDPSSODescriptor/><IDPSSODescriptor/></EntityDescriptor>'}, "SAML Metadata contains multiple IDPSSODescriptors"),
    ],
)  # fmt: skip
async def test_metadata_that_are_none(saml: Auth, body, text: str):
    answer = await saml.post("/admin/sso/providers", {"type": "saml", **body}, token=ADMIN)
    assert problem(answer) == (400, "validation_failed", text)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, (400, "validation_failed", "A provider_id or domain needs to be provided")),
        ({"domain": "x", "provider_id": str(uuid4())}, (400, "validation_failed", "Only one of provider_id or domain supported")),
        ({"domain": "nobody.example"}, (404, "sso_provider_not_found", "No SSO provider assigned for this domain")),
        ({"provider_id": str(uuid4())}, (404, "sso_provider_not_found", "No such SSO provider")),
    ],
)  # fmt: skip
async def test_sso_refusals(saml: Auth, body, expected):
    assert problem(await saml.post("/sso", body)) == expected


async def test_providers_that_cannot_be(open_with, saml: Auth, email: str):
    path = "/admin/sso/providers"
    other = Provider()
    other.entity = "https://other.example/metadata"
    body = {"type": "saml", "metadata_xml": other.metadata(), "domains": ["company.example"]}
    known = (await saml.get(f"{path}/resource_r1", token=ADMIN)).json()
    text = f"is already assigned to an SSO identity provider ({known['id']})"
    assert problem(await saml.post(path, body, token=ADMIN)) == (
        400, "sso_domain_already_exists", f"SSO Domain 'company.example' {text}",
    )  # fmt: skip
    moved = await saml.put(f"{path}/{known['id']}", {"metadata_xml": other.metadata()}, token=ADMIN)
    text = f"expected '{ENTITY}' but got 'https://other.example/metadata'"
    assert problem(moved) == (
        400, "saml_entity_id_mismatch",
        f"SAML Metadata can be updated only if the EntityID matches for the provider; {text}",
    )  # fmt: skip
    assert problem(await saml.get(f"{path}/{uuid4()}", token=ADMIN)) == (
        404, "sso_provider_not_found", "SSO Identity Provider not found",
    )  # fmt: skip
    away = await open_with(http=Publisher(""))
    body = {"type": "saml", "metadata_url": "https://away.example/metadata"}
    assert problem(await away.post(path, body, token=ADMIN)) == (
        400, "saml_metadata_fetch_failed",
        "HTTP no error fetching SAML Metadata from URL 'https://away.example/metadata'",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("relay", "place"),
    [
        ("https://app.example.com/in", "https://app.example.com/in"),
        ("http://evil.example\\@localhost:3000/", "http://localhost:3000"),
        ("https://app.example.com@evil.example/", "http://localhost:3000"),
        ("javascript://app.example.com/%0aalert(1)", "http://localhost:3000"),
        ("//evil.example", "http://localhost:3000"),
        ("/\\evil.example", "http://localhost:3000"),
    ],
)
async def test_what_a_provider_asks_for_is_judged_as_browsers_read_it(
    saml: Auth, idp: Provider, email: str, relay: str, place: str
):
    answer = await _posted(saml, idp.answer(email), relay)
    found, _, fragment = location(answer)
    assert (found, "access_token" in fragment) == (place, True)


async def test_what_a_relay_state_remembers_is_judged_again(saml: Auth, idp: Provider, email: str):
    request_id, relay = await _started(saml, redirect_to="https://app.example.com@evil.example/")
    [row] = await saml.rows(
        "select redirect_to from auth.saml_relay_states where id = $1::uuid", relay
    )
    assert row["redirect_to"] == "http://localhost:3000"
    await saml.rows(
        "update auth.saml_relay_states set redirect_to = $1 where id = $2::uuid",
        "http://evil.example\\@localhost:3000/", relay,
    )  # fmt: skip
    answer = await _posted(saml, idp.answer(email, request_id), relay)
    assert location(answer)[0] == "http://localhost:3000"


@pytest.mark.parametrize(
    "place", ["javascript:alert(1)", "data:text/html,x", "/sso", "https://u@x/"]
)
async def test_metadata_send_browsers_to_the_web_alone(saml: Auth, idp: Provider, place: str):
    other = Provider()
    other.entity = f"https://other.example/{place}"
    xml = other.metadata().replace("https://idp.example/sso", place)
    made = await saml.post(
        "/admin/sso/providers", {"type": "saml", "metadata_xml": xml}, token=ADMIN
    )
    assert problem(made)[0] == 400
    assert "no HTTP-Redirect SingleSignOnService" in problem(made)[2]
