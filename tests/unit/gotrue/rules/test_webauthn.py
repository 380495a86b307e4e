"""WebAuthn: options out, responses that are none refused, credentials as they are kept."""

from __future__ import annotations

import pytest

from gotrue_compat.rules import webauthn

PARTY = webauthn.RelyingParty("localhost", "Planes", ("http://localhost",))
CREDENTIAL = webauthn.Credential(
    b"id", b"key", 5, "bada5566-a7aa-401f-bd96-45619a55120d", ("usb",), True, False
)
USER = webauthn.UserEntity(b"u", "ana")


def test_a_credential_is_read_back_from_its_kept_form():
    assert webauthn.Credential.from_json(CREDENTIAL.to_json()) == CREDENTIAL


def test_a_kept_form_without_model_and_flags_is_read():
    read = webauthn.Credential.from_json({"id": "aWQ=", "publicKey": "a2V5"})
    assert (read.sign_count, read.aaguid) == (0, "00000000-0000-0000-0000-000000000000")
    assert (read.transports, read.backed_up) == ((), False)


@pytest.mark.parametrize(("discoverable", "resident"), [(True, "required"), (False, None)])
def test_a_passkey_must_be_discoverable(discoverable: bool, resident: str | None):
    options = webauthn.creation_options(PARTY, USER, b"c", [b"known"], discoverable=discoverable)
    assert options["authenticatorSelection"].get("residentKey") == resident
    assert [known["id"] for known in options["excludeCredentials"]] == ["a25vd24"]


def test_who_may_sign_in_is_named_only_where_it_is_known():
    assert "allowCredentials" not in webauthn.request_options(PARTY, b"c", [])
    (known,) = webauthn.request_options(PARTY, b"c", [CREDENTIAL])["allowCredentials"]
    assert (known["id"], known["transports"]) == ("aWQ", ["usb"])


@pytest.mark.parametrize("response", [{}, {"id": 5}, {"response": "x"}, {"rawId": "a", "id": "b"}])
def test_what_is_no_response_is_malformed(response: dict[str, object]):
    with pytest.raises(webauthn.MalformedError):
        webauthn.verify_registration(PARTY, b"c", response)
    with pytest.raises(webauthn.MalformedError):
        webauthn.verify_authentication(PARTY, b"c", response, CREDENTIAL)
    with pytest.raises(webauthn.MalformedError):
        webauthn.check_use(response)


def test_ids_are_read_from_what_a_response_names():
    assert webauthn.credential_id_of({"rawId": "YQ", "id": "Yg"}) == b"a"
    assert webauthn.credential_id_of({"id": "Yg"}) == b"b"
    assert webauthn.user_handle_of({"response": {"userHandle": "YQ"}}) == b"a"
    assert webauthn.user_handle_of({"response": []}) == webauthn.credential_id_of({"id": 5}) == b""
