"""Built-in subjects and bodies of every mail, in English and Spanish."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_PAGE = (
    '<!doctype html><html lang="{language}"><body style="font-family:sans-serif;line-height:1.5">'
    "<h2>{subject}</h2>{body}</body></html>"
)


@dataclass(frozen=True, slots=True)
class Wording:
    """One mail's subject and its body's paragraphs, both templates."""

    subject: str
    body: str


def wording_of(kind: str, language: str) -> Wording:
    """The built-in wording of a mail kind; English for any language but Spanish."""
    wordings = _SPANISH if language == "es" else _ENGLISH
    found = wordings[kind]
    page = _PAGE.replace("{language}", "es" if language == "es" else "en")
    page = page.replace("{subject}", found.subject).replace("{body}", found.body)
    return Wording(found.subject, page)


def _linked(lead: str, link: str, code: str) -> str:
    return (
        f"<p>{lead}</p>"
        f'<p><a href="{{{{ .ConfirmationURL }}}}">{link}</a></p>'
        f"<p>{code}: <strong>{{{{ .Token }}}}</strong></p>"
    )


_ENGLISH: Mapping[str, Wording] = {
    "confirmation": Wording(
        "Confirm your email address",
        _linked(
            "Follow this link to finish signing up with {{ .Email }}.",
            "Confirm my address",
            "Or enter this code",
        ),
    ),
    "invite": Wording(
        "You've been invited",
        _linked(
            "You have been invited to create an account on {{ .SiteURL }}.",
            "Accept the invitation",
            "Or enter this code",
        ),
    ),
    "recovery": Wording(
        "Reset your password",
        _linked(
            "Follow this link to choose a new password for {{ .Email }}. If you did not ask for "
            "it, ignore this mail.",
            "Choose a new password",
            "Or enter this code",
        ),
    ),
    "magic_link": Wording(
        "Your sign-in link",
        _linked("Follow this link to sign in.", "Sign in", "Or enter this code"),
    ),
    "email_change": Wording(
        "Confirm your new email address",
        _linked(
            "Follow this link to confirm the change from {{ .Email }} to {{ .NewEmail }}.",
            "Confirm the change",
            "Or enter this code",
        ),
    ),
    "reauthentication": Wording(
        "{{ .Token }} is your verification code",
        "<p>Enter this code: <strong>{{ .Token }}</strong></p>",
    ),
    "password_changed": Wording(
        "Your password was changed",
        "<p>The password of {{ .Email }} was changed. If it was not you, reset it now.</p>",
    ),
    "email_changed": Wording(
        "Your email address was changed",
        "<p>The address of your account was changed from {{ .OldEmail }} to {{ .Email }}.</p>",
    ),
    "phone_changed": Wording(
        "Your phone number was changed",
        "<p>The number of {{ .Email }} was changed from {{ .OldPhone }} to {{ .Phone }}.</p>",
    ),
    "identity_linked": Wording(
        "A new sign-in method was linked to your account",
        "<p>{{ .Provider }} can now be used to sign in as {{ .Email }}.</p>",
    ),
    "identity_unlinked": Wording(
        "A sign-in method was removed from your account",
        "<p>{{ .Provider }} can no longer be used to sign in as {{ .Email }}.</p>",
    ),
    "mfa_factor_enrolled": Wording(
        "A new verification method was added to your account",
        "<p>A second factor ({{ .FactorType }}) was added to {{ .Email }}.</p>",
    ),
    "mfa_factor_unenrolled": Wording(
        "A verification method was removed from your account",
        "<p>A second factor ({{ .FactorType }}) was removed from {{ .Email }}.</p>",
    ),
}

_SPANISH: Mapping[str, Wording] = {
    "confirmation": Wording(
        "Confirma tu correo electrónico",
        _linked(
            "Sigue este enlace para terminar tu registro con {{ .Email }}.",
            "Confirmar mi correo",
            "O introduce este código",
        ),
    ),
    "invite": Wording(
        "Te han invitado",
        _linked(
            "Te han invitado a crear una cuenta en {{ .SiteURL }}.",
            "Aceptar la invitación",
            "O introduce este código",
        ),
    ),
    "recovery": Wording(
        "Restablece tu contraseña",
        _linked(
            "Sigue este enlace para elegir una contraseña nueva para {{ .Email }}. Si no la has "
            "pedido, ignora este mensaje.",
            "Elegir una contraseña nueva",
            "O introduce este código",
        ),
    ),
    "magic_link": Wording(
        "Tu enlace de acceso",
        _linked("Sigue este enlace para entrar.", "Entrar", "O introduce este código"),
    ),
    "email_change": Wording(
        "Confirma el cambio de tu correo electrónico",
        _linked(
            "Sigue este enlace para confirmar el cambio de {{ .Email }} a {{ .NewEmail }}.",
            "Confirmar el cambio",
            "O introduce este código",
        ),
    ),
    "reauthentication": Wording(
        "Tu código de confirmación",
        "<p>Introduce este código: <strong>{{ .Token }}</strong></p>",
    ),
    "password_changed": Wording(
        "Tu contraseña ha cambiado",
        "<p>La contraseña de {{ .Email }} ha cambiado. Si no has sido tú, restablécela ya.</p>",
    ),
    "email_changed": Wording(
        "Tu correo electrónico ha cambiado",
        "<p>El correo de tu cuenta ha cambiado de {{ .OldEmail }} a {{ .Email }}.</p>",
    ),
    "phone_changed": Wording(
        "Tu número de teléfono ha cambiado",
        "<p>El teléfono de {{ .Email }} ha cambiado de {{ .OldPhone }} a {{ .Phone }}.</p>",
    ),
    "identity_linked": Wording(
        "Se ha añadido una forma de acceso",
        "<p>Ya se puede entrar como {{ .Email }} con {{ .Provider }}.</p>",
    ),
    "identity_unlinked": Wording(
        "Se ha quitado una forma de acceso",
        "<p>Ya no se puede entrar como {{ .Email }} con {{ .Provider }}.</p>",
    ),
    "mfa_factor_enrolled": Wording(
        "Se ha añadido un segundo factor",
        "<p>Se ha añadido un segundo factor ({{ .FactorType }}) a {{ .Email }}.</p>",
    ),
    "mfa_factor_unenrolled": Wording(
        "Se ha quitado un segundo factor",
        "<p>Se ha quitado un segundo factor ({{ .FactorType }}) de {{ .Email }}.</p>",
    ),
}
