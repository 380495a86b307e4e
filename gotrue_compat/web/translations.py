"""Spanish texts of the error table, for requests that prefer Spanish.

Codes and statuses stay; only the text a person reads is another. A text's facts are carried over.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from compat_base.values.errors import Row
from gotrue_compat import errors
from gotrue_compat.features.codes import errors as codes_errors
from gotrue_compat.features.discovery import errors as discovery_errors
from gotrue_compat.features.external import errors as external_errors
from gotrue_compat.features.mfa import errors as mfa_errors
from gotrue_compat.features.passkeys import errors as passkeys_errors
from gotrue_compat.features.sign_in import errors as sign_in_errors
from gotrue_compat.features.sign_up import errors as sign_up_errors
from gotrue_compat.features.sso import errors as sso_errors
from gotrue_compat.features.user import errors as user_errors

SPANISH: Mapping[Row, str] = {
    errors.BAD_JSON: "No se pudo leer el cuerpo de la petición como JSON: {reason}",
    errors.BODY_TOO_LARGE: "El cuerpo de la petición es demasiado grande (máximo 1048576 bytes)",
    errors.REQUEST_TIMEOUT: "La petición ha tardado demasiado; inténtalo de nuevo en un momento.",
    errors.UNEXPECTED: "Ha ocurrido un error inesperado",
    errors.NO_DATABASE: "La base de datos no está disponible en este momento",
    errors.DATABASE_FULL: "El disco de la base de datos está lleno",
    errors.NO_BEARER: "Esta operación necesita un token de acceso válido",
    errors.BAD_JWT: "Token no válido: {reason}",
    errors.NO_SUB: "Token no válido: falta el usuario",
    errors.SUB_NOT_UUID: "Token no válido: el usuario debe ser un UUID",
    errors.NO_SUCH_SUB: "El usuario del token ya no existe",
    errors.NO_SUCH_SESSION: "La sesión del token ya no existe",
    errors.USER_BANNED: "El usuario está bloqueado",
    errors.NOT_ADMIN: "Usuario no permitido",
    errors.ANONYMOUS_NOT_ALLOWED: "Un usuario anónimo no puede hacer esto",
    sign_up_errors.ANONYMOUS_DISABLED: "El acceso anónimo está desactivado",
    sign_up_errors.SIGNUP_DISABLED: "No se permiten registros nuevos",
    sign_up_errors.USER_EXISTS: "El usuario ya está registrado",
    sign_up_errors.EMAIL_SIGNUPS_DISABLED: "El registro por correo electrónico está desactivado",
    sign_up_errors.PHONE_SIGNUPS_DISABLED: "El registro por teléfono está desactivado",
    sign_up_errors.SIGNUP_NEEDS_PASSWORD: "El registro necesita una contraseña válida",
    sign_up_errors.SIGNUP_EMAIL_OR_PHONE: "Indica solo un correo electrónico o un teléfono.",
    errors.MAIL_FAILED: "No se pudo enviar el correo ({kind})",
    sign_in_errors.INVALID_CREDENTIALS: "Correo o contraseña incorrectos",
    sign_in_errors.EMAIL_NOT_CONFIRMED: "El correo electrónico no está confirmado",
    sign_in_errors.PHONE_NOT_CONFIRMED: "El teléfono no está confirmado",
    sign_in_errors.LOGIN_BANNED: "El usuario está bloqueado",
    sign_in_errors.MISSING_LOGIN: "Falta el correo electrónico o el teléfono",
    sign_in_errors.LOGIN_EMAIL_OR_PHONE: "Indica solo un correo electrónico o un teléfono.",
    sign_in_errors.EMAIL_LOGINS_DISABLED: "El acceso por correo electrónico está desactivado",
    sign_in_errors.PHONE_LOGINS_DISABLED: "El acceso por teléfono está desactivado",
    errors.REFRESH_MALFORMED: "El token de renovación no es válido",
    sign_in_errors.REFRESH_NOT_FOUND: "Token de renovación no válido: no se encuentra",
    sign_in_errors.REFRESH_ALREADY_USED: "Token de renovación no válido: ya se ha usado",
    sign_in_errors.REFRESH_NO_SESSION: "Token de renovación no válido: no hay sesión",
    errors.SESSION_EXPIRED: "La sesión ha caducado",
    errors.SESSION_INACTIVE: "La sesión ha caducado por inactividad",
    errors.SESSION_LOW_AAL: "La sesión ha caducado: falta el segundo factor",
    sign_in_errors.SESSION_REPLACED: "La sesión ha caducado: hay un acceso más reciente",
    sign_in_errors.REFRESH_BANNED: "Token de renovación no válido: usuario bloqueado",
    sign_in_errors.REFRESH_CONFLICT: "Demasiadas renovaciones a la vez de la misma sesión",
    user_errors.APP_METADATA_NEEDS_ADMIN: "Cambiar app_metadata necesita permisos de administrador",
    user_errors.SAME_PASSWORD: "La contraseña nueva debe ser distinta de la anterior.",
    errors.EMAIL_EXISTS: "Ya hay un usuario registrado con este correo electrónico",
    errors.PHONE_EXISTS: "Ya hay un usuario registrado con este teléfono",
    user_errors.UPDATE_NEEDS_AAL2: "Hace falta el segundo factor para cambiar correo o contraseña.",
    user_errors.REAUTHENTICATION_NEEDED: "Cambiar la contraseña necesita una nueva autenticación",
    codes_errors.NONCE_INVALID: "El código ha caducado o no es válido",
    user_errors.CURRENT_PASSWORD_REQUIRED: "Indica la contraseña actual para cambiarla.",
    user_errors.CURRENT_PASSWORD_INVALID: "La contraseña actual no es correcta.",
    user_errors.ANONYMOUS_PASSWORD: "Sin correo ni teléfono no se puede tener contraseña",
    errors.IDENTITY_FAILED: "No se pudo crear la identidad",
    errors.USER_UPDATE_FAILED: "No se pudo actualizar el usuario",
    sign_in_errors.LOGOUT_FAILED: "No se pudo cerrar la sesión",
    sign_in_errors.LOGOUT_SCOPE: "Alcance de cierre de sesión no válido: «{scope}»",
    codes_errors.RECOVERY_NEEDS_EMAIL: (
        "La recuperación de contraseña necesita un correo electrónico"
    ),
    codes_errors.RECOVERY_DISABLED: "El acceso por correo electrónico está desactivado",
    codes_errors.OTP_EXPIRED: "El código ha caducado o no es válido",
    codes_errors.LINK_EXPIRED: "El enlace no es válido o ha caducado",
    codes_errors.VERIFY_EMAIL_FORM: "El correo electrónico no es válido",
    errors.TOO_SOON_EMAIL: "Por seguridad, espera {seconds} segundos para pedirlo de nuevo.",
    errors.TOO_SOON_SMS: "Por seguridad, espera {seconds} segundos para pedirlo de nuevo.",
    sign_in_errors.FLOW_NOT_FOUND: "No se encuentra el inicio de sesión en curso",
    sign_in_errors.FLOW_EXPIRED: "El inicio de sesión en curso ha caducado",
    sign_in_errors.BAD_CODE_VERIFIER: "El código de verificación no corresponde",
    codes_errors.OTP_DISABLED: "No se permiten registros nuevos por código",
    codes_errors.OTP_NEEDS_ADDRESS: "Indica un correo electrónico o un teléfono",
    codes_errors.MAGIC_LINK_DISABLED: "El acceso por enlace está desactivado",
    codes_errors.PHONE_UNSUPPORTED: "El acceso por teléfono no está disponible",
    errors.SMS_FAILED: "No se pudo enviar el código por SMS ({kind}): {reason}",
    errors.NO_SMS_PROVIDER: "No hay proveedor de SMS",
    codes_errors.VERIFY_EMAIL_FIRST: "Confirma antes tu correo electrónico.",
    codes_errors.VERIFY_PHONE_FIRST: "Confirma antes tu teléfono.",
    errors.EMAIL_REQUIRED: "El correo electrónico es obligatorio",
    errors.EMAIL_TOO_LONG: "El correo electrónico es demasiado largo",
    errors.EMAIL_FORM: "El correo electrónico no es válido: formato incorrecto",
    errors.EMAIL_INVALID: "El correo electrónico «{email}» no es válido",
    errors.EMAIL_NOT_AUTHORIZED: "El correo electrónico «{email}» no está autorizado",
    errors.PHONE_FORM: "El teléfono no es válido (formato E.164)",
    errors.PASSWORD_TOO_LONG: "La contraseña no puede tener más de 72 caracteres",
    errors.USER_NOT_FOUND: "Usuario no encontrado",
    errors.FACTOR_NOT_FOUND: "Segundo factor no encontrado",
    errors.FACTOR_NAME_CONFLICT: "Ya hay un segundo factor llamado «{name}» para este usuario",
    mfa_errors.TOO_MANY_FACTORS: (
        "Has llegado al máximo de segundos factores; quita uno para seguir"
    ),
    mfa_errors.ENROLL_NEEDS_AAL2: "Hace falta el segundo factor para añadir otro",
    mfa_errors.UNENROLL_NEEDS_AAL2: "Hace falta el segundo factor para quitar uno verificado",
    mfa_errors.CODE_EMPTY: "El código no puede estar vacío",
    mfa_errors.TOTP_WRONG: "El código no es correcto",
    mfa_errors.MFA_PHONE_WRONG: "El código no es correcto",
    mfa_errors.CHALLENGE_EXPIRED: "El reto {id} ha caducado; pide otro.",
    external_errors.IDENTITY_LINKED_HERE: "La identidad ya está vinculada",
    errors.IDENTITY_LINKED_ELSEWHERE: "La identidad ya está vinculada a otro usuario",
    external_errors.LINKING_DISABLED: "Vincular identidades está desactivado",
    user_errors.LAST_IDENTITY: "El usuario debe conservar al menos una identidad",
    user_errors.IDENTITY_NOT_FOUND: "La identidad no existe",
    discovery_errors.SCIM_DISABLED: "SCIM está desactivado",
    sso_errors.SAML_DISABLED: "SAML 2.0 está desactivado",
    errors.EMAIL_LIMIT: "Se ha superado el límite de correos",
    errors.SMS_LIMIT: "Se ha superado el límite de SMS",
    errors.REQUEST_LIMIT: "Demasiadas peticiones; espera un momento",
    errors.TOO_BUSY: "Hay demasiadas peticiones a la vez; inténtalo de nuevo en un momento.",
    errors.CAPTCHA: "Protección captcha: petición rechazada ({reason})",
    passkeys_errors.PASSKEY_DISABLED: "Las llaves de acceso están desactivadas",
    passkeys_errors.PASSKEY_NOT_FOUND: "Llave de acceso no encontrada",
}
_LENGTH = re.compile(r"Password should be at least (\d+) characters\.")
_CHARACTERS = re.compile(r"Password should contain at least one character of each: (.*?)\.(?= |$)")
_PWNED = "Password is known to be weak and easy to guess, please choose a different one."


def translated(code: str, message: str) -> str:
    """The Spanish text of a message of the table, or the message itself where there is none."""
    if code == "weak_password":
        return _weak_password(message)
    for row, spanish in SPANISH.items():
        if row.code == code:
            match = _pattern(row.message).fullmatch(message)
            if match is not None:
                return spanish.format_map(match.groupdict())
    return message


def _weak_password(message: str) -> str:
    message = _LENGTH.sub(r"La contraseña debe tener al menos \1 caracteres.", message)
    message = _CHARACTERS.sub(r"La contraseña debe contener un carácter de cada: \1.", message)
    return message.replace(_PWNED, "La contraseña es conocida y fácil de adivinar; elige otra.")


@cache
def _pattern(template: str) -> re.Pattern[str]:
    escaped = re.escape(template)
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.*)", escaped), re.DOTALL)
