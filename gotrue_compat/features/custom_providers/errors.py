"""Errors of custom providers, one row each."""

from __future__ import annotations

from compat_base.values.errors import Row

CUSTOM_PROVIDER_NOT_FOUND = Row("custom_provider_not_found", 404, "Custom OAuth provider not found")
CUSTOM_PROVIDER_INVALID = Row("validation_failed", 400, "{text}")
CUSTOM_PROVIDER_QUOTA = Row(
    "over_custom_provider_quota", 400, "Maximum number of custom OAuth/OIDC providers reached"
)
CUSTOM_PROVIDER_EXISTS = Row(
    "conflict", 400, "A custom OAuth provider with this identifier already exists"
)
CUSTOM_PROVIDERS_DISABLED = Row("feature_disabled", 404, "Custom OAuth providers are disabled")
