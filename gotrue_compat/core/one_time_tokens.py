"""One-time tokens that are stored as hashes and sent as mails or messages (auth reference 4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.core import hooks, mail
from gotrue_compat.core.code_tries import subject_of
from gotrue_compat.core.mail import TokenMail
from gotrue_compat.core.rate_limits import Budget, take
from gotrue_compat.core.unit_of_work import UnitOfWork
from gotrue_compat.errors import unexpected_as
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.mail.gotemplate import Record, TemplateError, render
from gotrue_compat.model.one_time_token import OneTimeToken, TokenKind
from gotrue_compat.model.user import User
from gotrue_compat.ports import DeliveryError, HookPoint, SmsMessage
from gotrue_compat.rules import otp as otp_rules
from gotrue_compat.rules.pkce import CodeChallenge
from gotrue_compat.rules.shapes import user_shape
from gotrue_compat.store import tokens as store
from gotrue_compat.store import users as user_store

_DIGITS = "0123456789"
_LINK_BYTES = 28
TEST_MESSAGE = "test-otp"
WHATSAPP_PROVIDERS = frozenset({"twilio", "twilio_verify"})


def new_otp(deps: Dependencies, length: int) -> str:
    """A one-time password of digits."""
    return deps.world.entropy.text(length, _DIGITS)


def new_link_token(deps: Dependencies) -> str:
    """A random token for a link, in the form of a code's hash.

    The original sends the hash of address and code, so a guessed code also makes a link, whose
    tries are not limited for the account. A random token cannot be guessed.
    """
    return deps.world.entropy.bytes(_LINK_BYTES).hex()


async def begin_flow(
    work: UnitOfWork, user: User, method: str, challenge: CodeChallenge | None, provider: str = ""
) -> None:
    """Store a client's challenge until its code is exchanged; nothing without one.

    `provider` is recorded in the audit log where it is not the way of signing in.
    """
    if challenge is None:
        return
    await store.create_flow(
        work.tx,
        {
            "id": work.deps.world.entropy.uuid(), "user_id": user.id,
            "auth_code": str(work.deps.world.entropy.uuid()),
            "code_challenge": challenge.value, "code_challenge_method": challenge.method,
            "provider_type": provider or method,
            "authentication_method": method, "provider_access_token": "",
            "provider_refresh_token": "", "created_at": work.now, "updated_at": work.now,
        },
    )  # fmt: skip


async def send_confirmation(work: UnitOfWork, user: User, *, pkce: bool = False) -> User:
    """Mail the confirmation of a sign-up."""
    check_email_gap(work.deps, work.context, user.confirmation_sent_at)
    token_mail = _new_mail(work.deps, "signup", user.email, pkce=pkce)
    await mail.send(work, user, (token_mail,))
    return await store_token(
        work, user, TokenKind.CONFIRMATION, token_mail, confirmation_sent_at=work.now
    )


async def send_invite(work: UnitOfWork, user: User) -> User:
    """Mail an invitation."""
    token_mail = _new_mail(work.deps, "invite", user.email, pkce=False)
    await mail.send(work, user, (token_mail,))
    return await store_token(
        work, user, TokenKind.CONFIRMATION, token_mail,
        confirmation_sent_at=work.now, invited_at=work.now,
    )  # fmt: skip


async def send_recovery(work: UnitOfWork, user: User, action: str, *, pkce: bool) -> User:
    """Mail a `recovery` or a `magiclink`: both share one token and one gap."""
    check_email_gap(work.deps, work.context, user.recovery_sent_at)
    token_mail = _new_mail(work.deps, action, user.email, pkce=pkce)
    await mail.send(work, user, (token_mail,))
    return await store_token(work, user, TokenKind.RECOVERY, token_mail, recovery_sent_at=work.now)


async def send_email_change(work: UnitOfWork, user: User, email: str, *, pkce: bool) -> User:
    """Mail the new address, and the old one too where changes need both (auth reference 4.4)."""
    check_email_gap(work.deps, work.context, user.email_change_sent_at)
    user = await user_store.update(work.tx, user.id, work.now, email_change=email)
    new = _new_mail(work.deps, "email_change", email, pkce=pkce)
    mails = [new]
    if work.deps.settings.mailer.secure_email_change and user.email:
        mails.append(_new_mail(work.deps, "email_change", user.email, pkce=pkce))
    await mail.send(work, user, tuple(mails))
    user = await store_token(
        work, user, TokenKind.EMAIL_CHANGE_NEW, new,
        email_change_sent_at=work.now, email_change_confirm_status=0,
    )  # fmt: skip
    for current in mails[1:]:
        user = await store_token(work, user, TokenKind.EMAIL_CHANGE_CURRENT, current)
    return user


async def send_reauthentication(work: UnitOfWork, user: User) -> None:
    """Mail a nonce."""
    check_email_gap(work.deps, work.context, user.reauthentication_sent_at)
    token_mail = _new_mail(work.deps, "reauthentication", user.email, pkce=False)
    await mail.send(work, user, (token_mail,))
    await store_token(
        work, user, TokenKind.REAUTHENTICATION, token_mail,
        reauthentication_sent_at=work.now,
    )  # fmt: skip


async def send_sms(work: UnitOfWork, user: User, phone: str, kind: TokenKind, channel: str) -> str:
    """Send a code to a number and store its hash; gives the message id of the answer."""
    sent_at, changes = _sms_columns(user, phone, kind, work.context)
    otp_rules.check_gap(sent_at, work.deps.settings.sms.gap_seconds, work.now, errors.TOO_SOON_SMS)
    otp = test_otp(work.deps, work.context, phone)
    message_id = TEST_MESSAGE
    if otp is None:
        otp = new_otp(work.deps, work.deps.settings.sms.otp_length)
        message = SmsMessage(phone, "", channel, otp)  # a hook makes the text, or the template
        recipient = replace(user, phone_change=phone) if kind is TokenKind.PHONE_CHANGE else user
        await deliver_sms(work, recipient, message, _SMS_KINDS[kind])
        message_id = ""  # the provider's id is not returned, as in the original
    token_mail = TokenMail("", phone, otp, new_link_token(work.deps))
    await store_token(work, user, kind, token_mail, **changes)
    return message_id


def message_text(template: str, otp: str) -> str:
    """The text of a message with a code; ApiError where its template asks for anything else."""
    try:
        return render(template, Record({"Code": otp}), escape=False)
    except TemplateError as error:
        raise ApiError.of(errors.SMS_TEMPLATE) from error


async def deliver_sms(work: UnitOfWork, user: User, message: SmsMessage, kind: str) -> None:
    """Send a message by the hook or the provider; ApiError where it is refused.

    Source: auth reference 4.6.
    """
    if not work.deps.settings.sms.autoconfirm:
        await take(work.deps, Budget("sms", ()), errors.SMS_LIMIT)
    if work.deps.hooks.has(HookPoint.SEND_SMS):
        sms = {"otp": message.otp, "phone": message.phone}
        await hooks.call(
            work.deps, work.context, HookPoint.SEND_SMS, work.tx, user=user_shape(user), sms=sms
        )
        return
    if work.deps.sms is None:
        raise ApiError.of(errors.NO_SMS_PROVIDER)
    text = message_text(work.deps.settings.sms.template, message.otp)
    try:
        await work.deps.sms.send(replace(message, text=text))
    except DeliveryError as error:
        raise ApiError.of(errors.SMS_FAILED, kind=kind, reason=error) from error


def test_otp(deps: Dependencies, context: RequestContext, phone: str) -> str | None:
    """The fixed code of a test number, while test codes are valid."""
    sms = deps.settings.sms
    if sms.test_otp_until is not None and context.now > sms.test_otp_until:
        return None
    return sms.test_otp.get(phone)


def check_channel(deps: Dependencies, channel: str) -> str:
    """The channel, by default `sms`; ApiError for one that the provider does not have."""
    if channel in {"", "sms"}:
        return "sms"
    if deps.hooks.has(HookPoint.SEND_SMS):  # whatever the hook makes of it
        return channel
    if channel == "whatsapp" and deps.settings.sms.provider in WHATSAPP_PROVIDERS:
        return channel
    raise ApiError.of(errors.INVALID_CHANNEL)


def check_email_gap(deps: Dependencies, context: RequestContext, sent_at: Any) -> None:
    """Refuse a second mail of a kind before the gap has passed."""
    gap = deps.settings.smtp.gap_seconds
    otp_rules.check_gap(sent_at, gap, context.now, errors.TOO_SOON_EMAIL)


_SMS_KINDS = {
    TokenKind.CONFIRMATION: "confirmation",
    TokenKind.PHONE_CHANGE: "phone_change",
    TokenKind.REAUTHENTICATION: "reauthentication",
}


def _sms_columns(
    user: User, phone: str, kind: TokenKind, context: RequestContext
) -> tuple[Any, dict[str, Any]]:
    if kind is TokenKind.PHONE_CHANGE:
        changes = {"phone_change": phone, "phone_change_sent_at": context.now}
        return user.phone_change_sent_at, changes
    if kind is TokenKind.REAUTHENTICATION:
        return user.reauthentication_sent_at, {"reauthentication_sent_at": context.now}
    return user.confirmation_sent_at, {"confirmation_sent_at": context.now}


def _new_mail(deps: Dependencies, action: str, recipient: str, *, pkce: bool) -> TokenMail:
    otp = new_otp(deps, deps.settings.mailer.otp_length)
    hashed = otp_rules.with_flow(new_link_token(deps), pkce=pkce)
    return TokenMail(action, recipient, otp, hashed)


async def store_token(
    work: UnitOfWork,
    user: User,
    kind: TokenKind,
    token_mail: TokenMail,
    **changes: Any,
) -> User:
    """Store the code's hash in the user's column of the kind, and the link's token.

    Source: auth reference 4.1.
    """
    pkce = token_mail.hashed.startswith(otp_rules.PKCE_PREFIX)
    code = otp_rules.with_flow(
        otp_rules.token_hash(token_mail.recipient, token_mail.otp), pkce=pkce
    )
    kind_of_mail = mail.kind_of(token_mail)
    row = errors.MAIL_FAILED if kind_of_mail else errors.DATABASE_ERROR
    with unexpected_as(row, kind=kind_of_mail, doing="storing token"):
        token = OneTimeToken(user.id, kind.value, token_mail.hashed, token_mail.recipient)
        tried_as = subject_of(kind, token_mail.recipient)
        await store.put(work.tx, work.deps.world.entropy.uuid(), token, tried_as)
        return await user_store.update(work.tx, user.id, work.now, **{kind.value: code}, **changes)
