"""Mails by hook or template, and their limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from compat_base.postgres.database import Connection
from compat_base.values.errors import ApiError
from compat_base.values.events import Observation, Severity
from gotrue_compat import errors
from gotrue_compat.core import hooks
from gotrue_compat.core.rate_limits import Budget, take
from gotrue_compat.core.unit_of_work import UnitOfWork
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.mail.compose import Overrides, compose
from gotrue_compat.model.user import User
from gotrue_compat.ports import DeliveryError, HookPoint, HttpCall, UnreachableError
from gotrue_compat.rules.addresses import is_authorized, is_undeliverable
from gotrue_compat.rules.shapes import user_shape
from gotrue_compat.urls.links import action_link

# The link's type → the name of its template
_TEMPLATES = {
    "signup": "confirmation",
    "invite": "invite",
    "recovery": "recovery",
    "magiclink": "magic_link",
    "email_change": "email_change",
    "reauthentication": "reauthentication",
}
# The link's type → the URL path setting: magic links use that of recovery
_PATHS = {
    "signup": "confirmation",
    "invite": "invite",
    "recovery": "recovery",
    "magiclink": "recovery",
    "email_change": "email_change",
    "email_change_current": "email_change",
    "email_change_new": "email_change",
}
_BAD_STATUS = 400


@dataclass(frozen=True, slots=True)
class TokenMail:
    """A mail with a token: type, recipient, OTP, and the link's parameters."""

    action: str
    recipient: str
    otp: str
    hashed: str


def link_of(
    deps: Dependencies, context: RequestContext, action: str, hashed: str, redirect: str
) -> str:
    """The link of a mail for a type (auth reference 4.3)."""
    path = deps.settings.mailer.paths[_PATHS[action]]
    kind = "email_change" if action.startswith("email_change") else action
    return action_link(context.external_url, path, hashed, kind, redirect)


def kind_of(token_mail: TokenMail) -> str:
    """The mail's name in error messages, "" where nothing is mailed."""
    return _named(_TEMPLATES.get(token_mail.action, ""))


async def send(work: UnitOfWork, user: User, mails: tuple[TokenMail, ...]) -> None:
    """Send the mails of one action; ApiError where they are refused or fail."""
    for token_mail in mails:  # of a change of address the new one first
        _check_authorized(work.deps, token_mail.recipient)
    await _check_limit(work.deps)
    if work.deps.hooks.has(HookPoint.SEND_EMAIL):
        payload = _hook_payload(work.context, mails)
        await hooks.call(
            work.deps,
            work.context,
            HookPoint.SEND_EMAIL,
            work.tx,
            user=user_shape(user),
            email_data=payload,
        )
        return
    for token_mail in mails:
        await _check_deliverable(work.deps, token_mail.recipient)
        data = _template_data(work.deps, work.context, user, token_mail)
        await _deliver(
            work.deps, work.context, _TEMPLATES[token_mail.action], token_mail.recipient, data
        )


async def notify(  # noqa: PLR0913, PLR0917 — a mail's who, what and where
    deps: Dependencies, context: RequestContext, user: User, kind: str, recipient: str,
    tx: Connection | None = None, **facts: str,
) -> None:  # fmt: skip
    """Send a notice of a change, where switched on; its failure does not undo the change.

    A caller inside a transaction passes it as `tx`: a hook must not wait for a connection that
    another request gives back only after its own hook.
    """
    if kind not in deps.settings.mailer.notices or not recipient:
        return
    try:
        await _check_limit(deps)
        if deps.hooks.has(HookPoint.SEND_EMAIL):
            payload = _empty_payload(context, f"{kind}_notification") | facts
            await hooks.call(
                deps, context, HookPoint.SEND_EMAIL, tx,
                user=user_shape(user), email_data=payload,
            )  # fmt: skip
            return
        data = {
            "SiteURL": deps.settings.site_url, "Email": user.email,
            "Data": user.raw_user_meta_data,
            **({"Phone": user.phone} if kind == "phone_changed" else {}),
            **{_camel(name): value for name, value in facts.items()},
        }  # fmt: skip
        await _deliver(deps, context, kind, recipient, data)
    except ApiError as error:
        facts = {"kind": kind, "error": error.problem.code}
        deps.observer(Observation("notice_failed", Severity.WARNING, facts))


def _check_authorized(deps: Dependencies, address: str) -> None:
    if address and not is_authorized(address, deps.settings.email.authorized):
        raise ApiError.of(errors.EMAIL_NOT_AUTHORIZED, email=address)


async def _check_limit(deps: Dependencies) -> None:
    """The server's limit; 0 forbids every mail, autoconfirm lifts any other (auth reference 10)."""
    rate = deps.settings.limits.rates["email"]
    if rate is not None and (rate.events <= 0 or not deps.settings.mailer.autoconfirm):
        await take(deps, Budget("email", ()), errors.EMAIL_LIMIT)


async def _check_deliverable(deps: Dependencies, address: str) -> None:
    """Check an address by its text, and by a service that may be down (auth reference 6)."""
    mailer = deps.settings.mailer
    if not mailer.validation_extended:
        return
    if is_undeliverable(address):
        raise ApiError.of(errors.EMAIL_INVALID, email=address)
    if not mailer.validation_url:
        return
    body = b'{"email":"%s"}' % address.encode()
    headers = {"content-type": "application/json", **mailer.validation_headers}
    try:
        answer = await deps.http.send(HttpCall("POST", mailer.validation_url, headers, body, 3))
    except UnreachableError:
        return
    if answer.status == _BAD_STATUS or b'"valid":false' in answer.body.replace(b" ", b""):
        raise ApiError.of(errors.EMAIL_INVALID, email=address)


def _template_data(
    deps: Dependencies, context: RequestContext, user: User, token_mail: TokenMail
) -> dict[str, Any]:
    """The variables of a template, as the original's for each kind (auth reference 13)."""
    data = {
        "SiteURL": deps.settings.site_url, "Email": user.email, "Token": token_mail.otp,
        "Data": user.raw_user_meta_data,
    }  # fmt: skip
    if token_mail.action in _PATHS:
        link = link_of(deps, context, token_mail.action, token_mail.hashed, context.redirect)
        hashed = token_mail.hashed
        data |= {"ConfirmationURL": link, "TokenHash": hashed, "RedirectTo": context.redirect}
    if token_mail.action.startswith("email_change"):
        data |= {"NewEmail": user.email_change, "SendingTo": token_mail.recipient}
    return data


async def _deliver(
    deps: Dependencies, context: RequestContext, kind: str, recipient: str, data: dict[str, Any]
) -> None:
    overrides = Overrides(deps.settings.mailer.subjects.get(kind), await deps.templates.find(kind))
    mail = compose(kind, recipient, data, overrides, context.language)
    try:
        await deps.mailer.send(mail)
    except DeliveryError as error:
        facts = {"kind": kind, "error": str(error)}
        deps.observer(Observation("mail_failed", Severity.ERROR, facts))
        raise ApiError.of(errors.MAIL_FAILED, kind=_named(kind)) from error


def _named(kind: str) -> str:
    return kind.replace("_", " ")


def _hook_payload(context: RequestContext, mails: tuple[TokenMail, ...]) -> dict[str, str]:
    """One call for both mails of a change of address.

    The original pairs `token` (for the old address) with `token_hash_new`, and `token_new` with
    `token_hash`; consumers rely on it.
    """
    first = mails[0]
    payload = _empty_payload(context, first.action)
    payload |= {"token": first.otp, "token_hash": first.hashed}
    if len(mails) > 1:
        current = mails[1]
        payload |= {
            "token": current.otp, "token_new": first.otp, "token_hash_new": current.hashed,
        }  # fmt: skip
    return payload


def _empty_payload(context: RequestContext, action: str) -> dict[str, str]:
    return {
        "token": "", "token_hash": "", "redirect_to": context.redirect,
        "email_action_type": action, "site_url": context.external_url, "token_new": "",
        "token_hash_new": "", "old_email": "", "old_phone": "", "provider": "", "factor_type": "",
    }  # fmt: skip


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))
