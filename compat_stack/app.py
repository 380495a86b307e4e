"""The three services, the web app and the mailbox behind one gateway."""

from __future__ import annotations

from asyncio import get_running_loop
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from starlette.types import ASGIApp

import gotrue_compat
import realtime_compat
from compat_base.server_limits import address_limit
from compat_base.sockets import open_descriptors
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.world import World
from compat_stack.browser_headers import BrowserHeaders
from compat_stack.gateway import Beside, Gateway, Mounted
from compat_stack.keys import Keys
from compat_stack.mailbox import Mailbox, MailboxPage
from compat_stack.observability import Parts, observed
from compat_stack.operator_access import operator_access
from compat_stack.request_id import with_request_id
from compat_stack.services import Place, auth_variables, realtime_variables, rest_variables
from compat_stack.settings import Settings, lacks_proxy
from compat_stack.website import Website, load_assets
from gotrue_compat.settings import read_settings as read_auth_settings
from realtime_compat.settings import read_settings as read_realtime_settings
from rest_compat.app import http_app, open_parts
from rest_compat.settings import read_settings as read_rest_settings

# What a person's browser or an identity provider opens without a key: links out of mails,
# redirects back, and published keys.
_AUTH_OPEN_PATHS = (
    "/auth/v1/verify",
    "/auth/v1/callback",
    "/auth/v1/authorize",
    "/auth/v1/.well-known/",
    "/auth/v1/sso/saml/",
    "/auth/v1/oauth/",
    "/auth/v1/health",
)


@asynccontextmanager
async def open_stack(
    settings: Settings, place: Place, keys: Keys, *, world: World, observer: Observer
) -> AsyncGenerator[ASGIApp]:
    """Open the three services and yield the application that joins them."""
    if lacks_proxy(settings):
        facts = {"setting": "TRUSTED_PROXIES", "effect": "limits take all callers for one"}
        observer(Observation("proxy_not_trusted", Severity.WARNING, facts))
    assets = get_running_loop().run_in_executor(None, load_assets, settings.website)
    mailbox = Mailbox(settings.data_dir / "mailbox", world)
    observer = with_request_id(observer)
    async with AsyncExitStack() as stack:
        auth = await stack.enter_async_context(
            gotrue_compat.open_service(
                read_auth_settings(auth_variables(settings, place, keys)),
                world=world,
                observer=observer,
                mailer=None if settings.has_smtp else mailbox,
            )
        )
        rest = await stack.enter_async_context(
            open_parts(
                read_rest_settings(rest_variables(settings, place, keys)),
                world=world,
                observer=observer,
            )
        )
        realtime = await stack.enter_async_context(
            realtime_compat.open_service(
                read_realtime_settings(realtime_variables(settings, place, keys)),
                world=world,
                observer=observer,
            )
        )
        await rest.keeper.first_attempt.wait()
        website = Website(
            await assets,
            key=keys.publishable,
            public_url=settings.public_url,
            bind_host=settings.host,
        )
        access = operator_access(settings, keys)
        secure = (settings.public_url or "").startswith("https:")
        services = (
            Mounted("/auth/v1", auth, _AUTH_OPEN_PATHS),
            Mounted("/rest/v1", http_app(rest, observer)),
            Mounted("/realtime/v1", realtime),
        )
        page = BrowserHeaders(MailboxPage(mailbox, access), secure=secure)
        gateway = Gateway(
            services,
            Beside({"/mailbox": page}, BrowserHeaders(website, secure=secure)),
            keys,
            settings.trusted_proxies,
            address_limit(settings.server_limits, open_descriptors()),
        )
        parts = Parts(auth, rest, realtime, access.admits, world, observer)
        yield await stack.enter_async_context(observed(gateway, settings, place, keys, parts))
