"""Errors of users, lists, links, factors of administrators, one row each."""

from __future__ import annotations

from compat_base.values.errors import Row

ADMIN_NEEDS_ADDRESS = Row(
    "validation_failed", 400, "Cannot create a user without either an email or phone"
)
ADMIN_ONE_PASSWORD = Row(
    "validation_failed", 400, "Only a password or a password hash should be provided"
)
ADMIN_ID_FORM = Row("validation_failed", 400, "ID must conform to the uuid v4 format")
ADMIN_ID_NIL = Row("validation_failed", 400, "ID cannot be a nil uuid")
BAN_DURATION = Row("validation_failed", 400, "invalid format for ban duration: {reason}")
BAD_PASSWORD_HASH = Row("validation_failed", 400, "Password hash is not in a supported format")
ADMIN_PHONE_EXISTS = Row("phone_exists", 422, "Phone number already registered by another user")
USER_ID_FORM = Row("validation_failed", 404, "user_id must be an UUID")
LINK_USER_NOT_FOUND = Row("user_not_found", 404, "User with this email not found")
LINK_TYPE = Row("validation_failed", 400, "Invalid email action link type requested: {type}")
LINK_SECURE_ONLY = Row(
    "validation_failed", 400, "Enable secure email change to generate link for current email"
)
AUDIT_QUERY = Row("validation_failed", 400, "Invalid query scope: {query}")
