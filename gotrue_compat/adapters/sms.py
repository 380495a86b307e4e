"""Text messages by provider (auth reference 13); without credentials there is none."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from gotrue_compat.adapters.sms_answers import is_approved, message_id
from gotrue_compat.http.json_body import NotJsonError, decode_first
from gotrue_compat.ports import DeliveryError, HttpCall, HttpPort, SmsMessage, UnreachableError
from gotrue_compat.settings.addresses import SmsSettings

_NUMBER = re.compile(r"[1-9][0-9]{1,14}")
_FORM = {"content-type": "application/x-www-form-urlencoded"}


_OPTIONAL = frozenset({"content_sid"})


def sender_of(settings: SmsSettings, http: HttpPort) -> HttpSms | None:
    """The configured provider's sender; None without a provider or its credentials."""
    needed = [value for name, value in settings.credentials.items() if name not in _OPTIONAL]
    return HttpSms(settings, http) if needed and all(needed) else None


@dataclass(frozen=True, slots=True)
class HttpSms:
    """Sends by the HTTP API of the configured provider."""

    settings: SmsSettings
    http: HttpPort

    async def send(self, message: SmsMessage) -> str:
        """Send, and give the provider's message id; DeliveryError where it refuses."""
        provider = self.settings.provider
        calls = {
            "twilio": self._twilio,
            "twilio_verify": self._twilio_verify,
            "messagebird": self._messagebird,
            "textlocal": self._textlocal,
            "vonage": self._vonage,
        }
        call = calls[provider](message)
        status, answer = await self._exchange(call)
        return message_id(provider, status, answer, message.text)

    async def verify(self, phone: str, code: str) -> bool | None:
        """Whether Twilio Verify, which makes codes itself, accepts this one; None elsewhere."""
        if self.settings.provider != "twilio_verify":
            return None
        service = self._credential("message_service_sid")
        url = f"https://verify.twilio.com/v2/Services/{service}/VerificationCheck"
        form = {"To": f"+{phone}", "Code": code}
        try:
            answer = await self._exchange(self._form_call(url, form, self._twilio_login()))
        except DeliveryError:  # a code that cannot be judged is not accepted
            return False
        return is_approved(*answer)

    async def _exchange(self, call: HttpCall) -> tuple[int, Mapping[str, Any]]:
        try:
            answer = await self.http.send(call)
            return answer.status, decode_first(answer.body)
        except (UnreachableError, NotJsonError) as error:
            raise DeliveryError(str(error)) from error

    def _credential(self, name: str) -> str:
        return self.settings.credentials.get(name, "")

    def _twilio_login(self) -> str:
        login = f"{self._credential('account_sid')}:{self._credential('auth_token')}"
        return "Basic " + base64.b64encode(login.encode()).decode()

    def _form_call(self, url: str, form: dict[str, str], login: str = "") -> HttpCall:
        headers = {**_FORM, "authorization": login} if login else _FORM
        return HttpCall("POST", url, headers, urlencode(sorted(form.items())).encode())

    def _twilio(self, message: SmsMessage) -> HttpCall:
        account = self._credential("account_sid")
        sender = self._credential("message_service_sid")
        form = {"To": f"+{message.phone}", "Channel": message.channel, "From": sender}
        content = self._credential("content_sid")
        if message.channel == "whatsapp":
            form["To"] = f"whatsapp:{form['To']}"
            if _NUMBER.fullmatch(sender.removeprefix("+").replace(" ", "")):
                form["From"] = f"whatsapp:{sender}"
        if message.channel == "whatsapp" and content:
            variables = f'{{"1": "{message.otp}"}}'
            form |= {"ContentSid": content, "ContentVariables": variables}
        else:
            form["Body"] = message.text
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
        if not message.text.isascii():
            form["type"] = "unicode"
        return self._form_call("https://rest.nexmo.com/sms/json", form)
