"""Text messages by provider (auth reference 13); without credentials there is none."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from compat_base.values import jsontext
from gotrue_compat.ports import DeliveryError, HttpCall, HttpPort, SmsMessage, UnreachableError
from gotrue_compat.settings.addresses import SmsSettings

_BAD_STATUS = 400
_FORM = {"content-type": "application/x-www-form-urlencoded"}


_OPTIONAL = frozenset({"content_sid"})


def sender_of(settings: SmsSettings, http: HttpPort) -> HttpSms | None:
    """The sender of the provider that is set, None where none is or its credentials are not."""
    needed = [value for name, value in settings.credentials.items() if name not in _OPTIONAL]
    return HttpSms(settings, http) if needed and all(needed) else None


@dataclass(frozen=True, slots=True)
class HttpSms:
    """Sends by the HTTP API of the provider that the settings name."""

    settings: SmsSettings
    http: HttpPort

    async def send(self, message: SmsMessage) -> str:
        """Send, and give the provider's message id; DeliveryError where it is not taken."""
        provider = self.settings.provider
        calls = {
            "twilio": self._twilio,
            "twilio_verify": self._twilio_verify,
            "messagebird": self._messagebird,
            "textlocal": self._textlocal,
            "vonage": self._vonage,
        }
        call = calls[provider](message)
        answer = await self._exchange(call)
        return _message_id(provider, answer)

    async def verify(self, phone: str, code: str) -> bool | None:
        """Whether Twilio Verify, which makes codes itself, accepts this one; None elsewhere."""
        if self.settings.provider != "twilio_verify":
            return None
        service = self._credential("message_service_sid")
        url = f"https://verify.twilio.com/v2/Services/{service}/VerificationCheck"
        form = {"To": f"+{phone}", "Code": code}
        answer = await self._exchange(self._form_call(url, form, self._twilio_login()))
        return answer.get("status") == "approved"

    async def _exchange(self, call: HttpCall) -> dict[str, Any]:
        try:
            answer = await self.http.send(call)
            body = jsontext.decode_object(answer.body)
        except (UnreachableError, jsontext.InvalidJsonError) as error:
            raise DeliveryError(str(error)) from error
        if answer.status >= _BAD_STATUS:
            raise DeliveryError(str(body.get("message") or f"status {answer.status}"))
        return body

    def _credential(self, name: str) -> str:
        return self.settings.credentials.get(name, "")

    def _twilio_login(self) -> str:
        login = f"{self._credential('account_sid')}:{self._credential('auth_token')}"
        return "Basic " + base64.b64encode(login.encode()).decode()

    def _form_call(self, url: str, form: dict[str, str], login: str = "") -> HttpCall:
        headers = {**_FORM, "authorization": login} if login else _FORM
        return HttpCall("POST", url, headers, urlencode(form).encode())

    def _twilio(self, message: SmsMessage) -> HttpCall:
        account = self._credential("account_sid")
        mark = "whatsapp:" if message.channel == "whatsapp" else ""
        sender = self._credential("message_service_sid")
        form = {
            "To": f"{mark}+{message.phone}",
            "From": f"{mark}{sender}" if mark and not sender.startswith("MG") else sender,
            "Channel": message.channel,
            "Body": message.text,
        }
        content = self.settings.credentials.get("content_sid", "")
        if mark and content:
            form |= {
                "ContentSid": content,
                "ContentVariables": jsontext.encode({"1": message.otp}),
            }
        url = f"https://api.twilio.com/2010-04-01/Accounts/{account}/Messages.json"
        return self._form_call(url, form, self._twilio_login())

    def _twilio_verify(self, message: SmsMessage) -> HttpCall:
        service = self._credential("message_service_sid")
        url = f"https://verify.twilio.com/v2/Services/{service}/Verifications"
        form = {"To": f"+{message.phone}", "Channel": message.channel}
        return self._form_call(url, form, self._twilio_login())

    def _messagebird(self, message: SmsMessage) -> HttpCall:
        form = {
            "originator": self._credential("originator"),
            "body": message.text,
            "recipients": message.phone,
            "type": "sms",
            "datacoding": "unicode",
        }
        login = f"AccessKey {self._credential('access_key')}"
        return self._form_call("https://rest.messagebird.com/messages", form, login)

    def _textlocal(self, message: SmsMessage) -> HttpCall:
        form = {
            "sender": self._credential("sender"),
            "apikey": self._credential("api_key"),
            "message": message.text,
            "numbers": message.phone,
        }
        return self._form_call("https://api.textlocal.in/send", form)

    def _vonage(self, message: SmsMessage) -> HttpCall:
        form = {
            "from": self._credential("from"),
            "to": message.phone,
            "text": message.text,
            "api_key": self._credential("api_key"),
            "api_secret": self._credential("api_secret"),
        }
        return self._form_call("https://rest.nexmo.com/sms/json", form)


def _message_id(provider: str, answer: dict[str, Any]) -> str:
    """The id in a provider's answer; an answer that tells of a failure is one."""
    messages: list[dict[str, Any]] = answer.get("messages") or [{}]
    first = messages[0]
    if provider == "vonage":
        if str(first.get("status")) != "0":
            raise DeliveryError(str(first.get("error-text") or "vonage refused the message"))
        return str(first.get("message-id", ""))
    if provider == "textlocal":
        if not first:
            failures: list[dict[str, Any]] = answer.get("errors") or [{}]
            raise DeliveryError(str(failures[0].get("message") or "textlocal refused the message"))
        return str(first.get("id", ""))
    return str(answer.get("sid") or answer.get("id") or "")
