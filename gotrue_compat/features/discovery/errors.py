"""Errors of discovery."""

from __future__ import annotations

from compat_base.values.errors import Row

SCIM_DISABLED = Row("feature_disabled", 404, "SCIM server is disabled")
