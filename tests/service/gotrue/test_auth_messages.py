"""Text messages by every provider of the original: auth reference 13."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

import pytest

from gotrue_compat.ports import HttpAnswer, HttpCall
from tests.harness_auth import problem

TEXT = "Your code is "
LOGIN = "Basic " + base64.b64encode(b"AC1:t").decode()


@dataclass(frozen=True)
class Case:
    """A provider: its settings, the call it gets, what it answers, how it refuses."""

    variables: dict[str, str]
    url: str
    form: dict[str, str]
    headers: dict[str, str]
    answer: dict[str, Any]
    refusal: tuple[int, dict[str, Any], str]
    message_id: str = "id-1"
    text: str = ""


CASES = {
    "twilio": Case(
        {"ACCOUNT_SID": "AC1", "AUTH_TOKEN": "t", "MESSAGE_SERVICE_SID": "MG1"},
        "https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json",
        {"To": "+PHONE", "From": "MG1", "Channel": "sms"},
        {"authorization": LOGIN}, {"sid": "id-1", "status": "queued"},
        (
            400, {"message": "No such number.", "more_info": "https://x/21211"},
            "No such number. More information: https://x/21211",
        ), text="Body",
    ),
    "twilio_verify": Case(
        {"ACCOUNT_SID": "AC1", "AUTH_TOKEN": "t", "MESSAGE_SERVICE_SID": "VA1"},
        "https://verify.twilio.com/v2/Services/VA1/Verifications",
        {"To": "+PHONE", "Channel": "sms"},
        {"authorization": LOGIN}, {"sid": "id-1", "status": "pending"},
        (429, {"message": "slow down"}, "slow down More information: "),
    ),
    "messagebird": Case(
        {"ACCESS_KEY": "k", "ORIGINATOR": "Planes"},
        "https://rest.messagebird.com/messages",
        {"originator": "Planes", "recipients": "PHONE", "type": "sms", "datacoding": "unicode"},
        {"authorization": "AccessKey k"}, {"id": "id-1", "recipients": {"totalSentCount": 1}},
        (422, {"errors": [{"description": "originator is invalid"}]}, "originator is invalid"),
        text="body",
    ),
    "textlocal": Case(
        {"API_KEY": "k", "SENDER": "PLANES"},
        "https://api.textlocal.in/send",
        {"sender": "PLANES", "apikey": "k", "numbers": "PHONE"},
        {}, {"status": "success", "messages": [{"id": "id-1"}]},
        (
            200, {"status": "failure", "errors": [{"message": "no credit", "code": 7}]},
            "textlocal error: no credit (code: 7) message ",
        ),
        text="message",
    ),
    "vonage": Case(
        {"API_KEY": "k", "API_SECRET": "s", "FROM": "Planes"},
        "https://rest.nexmo.com/sms/json",
        {"from": "Planes", "to": "PHONE", "api_key": "k", "api_secret": "s"},
        {}, {"messages": [{"status": "0", "message-id": "id-1"}]},
        (
            200, {"messages": [{"status": "9", "error-text": "quota", "message-id": "m"}]},
            "vonage error: quota (status: 9) for message m",
        ), text="text",
    ),
}  # fmt: skip


@dataclass
class Gateway:
    """A provider's server that answers as told and remembers what was sent."""

    status: int = 200
    body: dict[str, Any] | bytes = field(default_factory=dict)
    calls: list[HttpCall] = field(default_factory=list)

    async def send(self, call: HttpCall) -> HttpAnswer:
        self.calls.append(call)
        body = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        return HttpAnswer(self.status, {}, body)

    def last_form(self) -> dict[str, str]:
        return {name: values[0] for name, values in parse_qs(self.calls[-1].body.decode()).items()}


@pytest.mark.parametrize("name", CASES)
async def test_a_provider_takes_the_message_and_the_code_verifies(open_with, name: str):
    case, phone = CASES[name], f"3461200000{[*CASES].index(name)}"
    gateway = Gateway(body=case.answer)
    prefix = f"GOTRUE_SMS_{name.upper()}_"
    auth = await open_with(
        http=gateway, GOTRUE_EXTERNAL_PHONE_ENABLED="true", GOTRUE_SMS_PROVIDER=name,
        **{f"{prefix}{key}": value for key, value in case.variables.items()},
    )  # fmt: skip
    assert (await auth.get("/settings")).json()["sms_provider"] == name
    sent = await auth.post("/otp", {"phone": phone})
    assert (sent.status_code, sent.json()) == (200, {}), sent.text
    [call] = gateway.calls
    assert (call.method, call.url) == ("POST", case.url)
    assert {key: call.headers.get(key) for key in case.headers} == case.headers
    form = gateway.last_form()
    assert list(form) == sorted(form)  # as the original writes it
    text = form.pop(case.text, "")
    assert form == {key: value.replace("PHONE", phone) for key, value in case.form.items()}
    otp = text.removeprefix(TEXT) or "999999"
    body = {"type": "sms", "phone": phone, "token": otp}
    if name == "twilio_verify":
        for gateway.status, gateway.body in ((200, {"status": "pending"}), (404, {"code": 20404})):
            assert problem(await auth.post("/verify", body))[:2] == (403, "otp_expired")
        gateway.status, gateway.body = 200, {"status": "approved", "valid": True}
    assert (await auth.post("/verify", body)).status_code == 200
    if name == "twilio_verify":
        assert gateway.calls[-1].url.endswith("/Services/VA1/VerificationCheck")
        assert gateway.last_form() == {"To": f"+{phone}", "Code": otp}
    gateway.body = case.answer
    assert (await auth.post("/otp", {"phone": phone})).json() == {}
    gateway.status, gateway.body, reason = case.refusal
    assert problem(await auth.post("/otp", {"phone": phone})) == (
        422, "sms_send_failed", f"Error sending confirmation OTP to provider: {reason}",
    )  # fmt: skip
    gateway.status, gateway.body = 500, b"oops"
    reason = "invalid character 'o' looking for beginning of value"
    assert problem(await auth.post("/otp", {"phone": phone})) == (
        422, "sms_send_failed", f"Error sending confirmation OTP to provider: {reason}",
    )  # fmt: skip


async def test_a_nonce_of_twilio_verify_is_judged_there(open_with):
    gateway = Gateway(body={"sid": "id-1"})
    auth = await open_with(
        http=gateway, GOTRUE_EXTERNAL_PHONE_ENABLED="true", GOTRUE_SMS_PROVIDER="twilio_verify",
        GOTRUE_SMS_TWILIO_VERIFY_ACCOUNT_SID="AC1", GOTRUE_SMS_TWILIO_VERIFY_AUTH_TOKEN="t",
        GOTRUE_SMS_TWILIO_VERIFY_MESSAGE_SERVICE_SID="VA1",
        GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION="true",
    )  # fmt: skip
    phone = "34612000077"
    await auth.post("/signup", {"phone": phone, "password": "correct horse"})
    gateway.body = {"status": "approved", "valid": True}
    body = {"type": "sms", "phone": phone, "token": "123456"}
    token = (await auth.post("/verify", body)).json()["access_token"]
    await auth.rows("update auth.sessions set created_at = now() - interval '2 days'")
    gateway.body = {"sid": "id-2"}
    assert (await auth.get("/reauthenticate", token=token)).status_code == 200
    change = {"password": "another horse", "nonce": "123456"}
    gateway.body = {"status": "pending", "valid": False}
    assert problem(await auth.put("/user", change, token=token))[:2] == (403, "otp_expired")
    gateway.body = {"status": "approved", "valid": True}
    assert (await auth.put("/user", change, token=token)).status_code == 200
    assert gateway.last_form() == {"To": f"+{phone}", "Code": "123456"}


@pytest.mark.parametrize(
    ("sender", "content", "form"),
    [
        ("+1 555 0100", "", {"From": "whatsapp:+1 555 0100", "Body": "Código"}),
        ("MG1", "", {"From": "MG1", "Body": "Código"}),
        ("whatsapp:+15550100", "HX1", {"From": "whatsapp:+15550100", "ContentSid": "HX1"}),
    ],
)
async def test_whatsapp_by_twilio(open_with, sender: str, content: str, form: dict[str, str]):
    gateway = Gateway(body={"sid": "id-1", "status": "queued"})
    auth = await open_with(
        http=gateway, GOTRUE_EXTERNAL_PHONE_ENABLED="true", GOTRUE_SMS_PROVIDER="twilio",
        GOTRUE_SMS_TWILIO_ACCOUNT_SID="AC1", GOTRUE_SMS_TWILIO_AUTH_TOKEN="t",
        GOTRUE_SMS_TWILIO_MESSAGE_SERVICE_SID=sender, GOTRUE_SMS_TWILIO_CONTENT_SID=content,
        GOTRUE_SMS_TEMPLATE="Código",
    )  # fmt: skip
    phone = f"3461200006{len(sender) % 10}"
    assert (await auth.post("/otp", {"phone": phone, "channel": "whatsapp"})).status_code == 200
    sent = gateway.last_form()
    variables = json.loads(sent.pop("ContentVariables", "{}"))
    assert sent == {"To": f"whatsapp:+{phone}", "Channel": "whatsapp"} | form
    assert bool(variables.get("1")) == bool(content)


async def test_vonage_is_told_of_letters_beyond_ascii(open_with):
    gateway = Gateway(body={"messages": [{"status": "0", "message-id": "m"}]})
    auth = await open_with(
        http=gateway, GOTRUE_EXTERNAL_PHONE_ENABLED="true", GOTRUE_SMS_PROVIDER="vonage",
        GOTRUE_SMS_VONAGE_API_KEY="k", GOTRUE_SMS_VONAGE_API_SECRET="s", GOTRUE_SMS_VONAGE_FROM="P",
        GOTRUE_SMS_TEMPLATE="Código {{ .Code }}",
    )  # fmt: skip
    assert (await auth.post("/otp", {"phone": "34612000055"})).status_code == 200
    assert gateway.last_form()["type"] == "unicode"


@pytest.mark.parametrize("name", [*CASES, "pigeon"])
async def test_a_provider_without_credentials_sends_nothing(open_with, name: str):
    auth = await open_with(GOTRUE_EXTERNAL_PHONE_ENABLED="true", GOTRUE_SMS_PROVIDER=name)
    answer = await auth.post("/otp", {"phone": "34612000099"})
    assert problem(answer) == (500, "unexpected_failure", "Unable to get SMS provider")


async def test_a_template_that_asks_for_more_than_the_code_sends_nothing(open_with):
    gateway = Gateway(body={"sid": "id-1", "status": "queued"})
    auth = await open_with(
        http=gateway, GOTRUE_EXTERNAL_PHONE_ENABLED="true", GOTRUE_SMS_PROVIDER="twilio",
        GOTRUE_SMS_TWILIO_ACCOUNT_SID="AC1", GOTRUE_SMS_TWILIO_AUTH_TOKEN="t",
        GOTRUE_SMS_TWILIO_MESSAGE_SERVICE_SID="MG1", GOTRUE_SMS_TEMPLATE="Code {{ .Token }}",
    )  # fmt: skip
    answer = await auth.post("/otp", {"phone": "34612000097"})
    assert problem(answer) == (500, "unexpected_failure", "error generating sms template")
    assert not gateway.calls


async def test_whatsapp_is_twilios_alone(open_with):
    auth = await open_with(
        GOTRUE_EXTERNAL_PHONE_ENABLED="true", GOTRUE_SMS_PROVIDER="vonage",
        GOTRUE_SMS_VONAGE_API_KEY="k", GOTRUE_SMS_VONAGE_API_SECRET="s", GOTRUE_SMS_VONAGE_FROM="P",
    )  # fmt: skip
    answer = await auth.post("/otp", {"phone": "34612000098", "channel": "whatsapp"})
    text = (
        "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported"
        " if Twilio or Twilio Verify is used as the provider."
    )
    assert problem(answer) == (400, "validation_failed", text)
