"""Errors of SAML sign-ins and providers, one row each."""

from __future__ import annotations

from compat_base.values.errors import Row

SAML_DISABLED = Row("saml_provider_disabled", 404, "SAML 2.0 is disabled")
SSO_PARAMETERS = Row("validation_failed", 400, "A provider_id or domain needs to be provided")
SSO_BOTH = Row("validation_failed", 400, "Only one of provider_id or domain supported")
SSO_PROVIDER_NOT_FOUND = Row(
    "sso_provider_not_found", 404, "No SSO provider assigned for this domain"
)
SSO_NO_SUCH_PROVIDER = Row("sso_provider_not_found", 404, "No such SSO provider")
SSO_PROVIDER_UNKNOWN = Row("sso_provider_not_found", 404, "SSO Identity Provider not found")
SSO_PROVIDER_OFF = Row("sso_provider_disabled", 404, "SSO Provider is currently disabled")
SSO_DOMAIN_EXISTS = Row(
    "sso_domain_already_exists", 400, "SSO Domain '{domain}' is already assigned to an SSO "
    "identity provider ({owner})"
)  # fmt: skip
SSO_DOMAIN_OF_ANOTHER = Row(
    "sso_domain_already_exists",
    400,
    "SSO domain '{domain}' already assigned to another provider ({owner})",
)
SSO_CONFLICT = Row(
    "conflict", 422, "Updating SSO provider failed, likely due to a conflict. Try again?"
)
SSO_ENTITY_EXISTS = Row(
    "saml_idp_already_exists", 422, "SAML Identity Provider with this EntityID ({entity}) already "
    "exists"
)  # fmt: skip
SSO_INVALID = Row("validation_failed", 400, "{text}")
SAML_METADATA_FETCH = Row(
    "saml_metadata_fetch_failed", 400, "HTTP {status} error fetching SAML Metadata from URL '{url}'"
)
SAML_ENTITY_MISMATCH = Row(
    "saml_entity_id_mismatch",
    400,
    "SAML Metadata can be updated only if the EntityID matches for the provider; expected "
    "'{expected}' but got '{found}'",
)
SAML_RELAY_NOT_FOUND = Row(
    "saml_relay_state_not_found", 404, "SAML RelayState does not exist, try logging in again?"
)
SAML_RELAY_EXPIRED = Row(
    "saml_relay_state_expired", 422, "SAML RelayState has expired. Try logging in again?"
)
SAML_IDP_NOT_FOUND = Row(
    "saml_idp_not_found", 404, "A SAML connection has not been established with this Identity "
    "Provider"
)  # fmt: skip
SAML_PROVIDER_OFF = Row(
    "sso_provider_disabled", 404, "SSO Provider assigned for this domain is currently disabled"
)
SAML_REFUSED = Row("validation_failed", 400, "{text}")
SAML_ASSERTION = Row("validation_failed", 400, "SAML Assertion is not valid")
SAML_CLAIMS = Row(
    "unexpected_failure", 500, "Mapped claims from provider could not be deserialized from JSON"
)
SAML_NO_TOKEN = Row("unexpected_failure", 500, "Unable to issue refresh token from SAML Assertion")
SAML_NO_USER_ID = Row(
    "saml_assertion_no_user_id", 400, "SAML Assertion did not contain a persistent Subject "
    "Identifier attribute or Subject NameID uniquely identifying this user"
)  # fmt: skip
SAML_NO_EMAIL = Row(
    "saml_assertion_no_email", 400, "SAML Assertion does not contain an email address"
)
