"""Every module that holds rows of errors, in the order of the documents."""

from __future__ import annotations

from types import ModuleType

from gotrue_compat import errors
from gotrue_compat.features.admin import errors as admin
from gotrue_compat.features.codes import errors as codes
from gotrue_compat.features.custom_providers import errors as custom_providers
from gotrue_compat.features.external import errors as external
from gotrue_compat.features.mfa import errors as mfa
from gotrue_compat.features.oauth_server import errors as oauth_server
from gotrue_compat.features.passkeys import errors as passkeys
from gotrue_compat.features.sign_in import errors as sign_in
from gotrue_compat.features.sign_up import errors as sign_up
from gotrue_compat.features.sso import errors as sso
from gotrue_compat.features.user import errors as user
from gotrue_compat.features.web3 import errors as web3

MODULES: tuple[ModuleType, ...] = (
    errors, sign_up, sign_in, codes, user, mfa, passkeys, external, web3, sso, custom_providers,
    oauth_server, admin,
)  # fmt: skip
