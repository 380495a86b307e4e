"""Go's template syntax, built-in wordings, translations."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gotrue_compat import errors
from gotrue_compat.mail.compose import Overrides, compose
from gotrue_compat.mail.gotemplate import Record, TemplateError, render
from gotrue_compat.mail.wording import wording_of
from gotrue_compat.settings.addresses import MAIL_KINDS, NOTICES
from gotrue_compat.web.translations import SPANISH, translated

DATA = {
    "Email": "a&b@c.es",
    "Data": {"nombre": "Ana", "tags": ["x", "y"], "zero": 0, "map": {"b": 2, "a": 1}},
    "Token": "1",
}


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("Hi {{ .Data.nombre }}!", "Hi Ana!"),
        ("{{.Email}}", "a&amp;b@c.es"),
        ("{{ .Missing }}{{ .Data.none.deep }}", ""),
        ("{{ if .Data.zero }}a{{ else if .Token }}b{{ else }}c{{ end }}", "b"),
        ("{{ if and .Token (not .Missing) }}yes{{ end }}", "yes"),
        ('{{ if eq .Data.nombre "Ana" }}she{{ end }}', "she"),
        ("{{ range .Data.tags }}[{{ . }}]{{ end }}", "[x][y]"),
        ("{{ with .Data }}{{ .nombre }}{{ $.Token }}{{ end }}", "Ana1"),
        ("a  {{- .Token -}}  b", "a1b"),
        ("{{/* a note */}}x", "x"),
        ('{{ index .Data "nombre" }}', "Ana"),
        ("{{ len .Data.tags | print }}", "2"),
        ("{{ $n := .Data.nombre }}{{ with .Data.tags }}{{ $n }}{{ end }}", "Ana"),
        ("{{ $n := 1 }}{{ if true }}{{ $n = 2 }}{{ $m := 3 }}{{ end }}{{ $n }}", "2"),
        ("{{ range $i, $v := .Data.tags }}{{ $i }}{{ $v }};{{ end }}", "0x;1y;"),
        ("{{ range $v := .Data.tags }}{{ $v }}{{ .}}{{ end }}", "xxyy"),
        ("{{ range .Data.none }}a{{ else }}none{{ end }}", "none"),
        ('{{ range .Data.tags }}{{ if eq . "y" }}{{ break }}{{ end }}{{ . }}{{ end }}', "x"),
        ('{{ range .Data.tags }}{{ if eq . "x" }}{{ continue }}{{ end }}{{ . }}{{ end }}', "y"),
        ("{{ range $k, $v := .Data.map }}{{ $k }}={{ $v }} {{ end }}", "a=1 b=2 "),
        ("{{ if $t := .Token }}{{ $t }}{{ end }}", "1"),
        ("{{ if and (ge 2 1) (lt 1 2) (le 2 2) (gt 3 2) }}in order{{ end }}", "in order"),
        (
            '{{ printf "%s has %d, %05.2f, %q and %v%%" "Ana" 3 1.5 "x" true }}',
            "Ana has 3, 01.50, &quot;x&quot; and true%",
        ),
        ('{{ "a b&c" | urlquery }}', "a+b%26c"),
        ('{{ "<b>" | html }}', "&lt;b&gt;"),
        ('{{ slice "abcdef" 1 3 }}', "bc"),
        ('{{ println "a" 1 }}|', "a 1\n|"),
        ('{{ "line\\n\\"x\\"" }}', "line\n&quot;x&quot;"),
        (
            '{{ define "x" }}[{{ . }}]{{ end }}{{ template "x" .Token }}{{ template "x" "<" }}',
            "[1][&lt;]",
        ),
        ('{{ template "x" .Data }}{{ define "x" }}{{ $.nombre }}{{ .nombre }}{{ end }}', "AnaAna"),
        (
            "{{ define `x` }}{{ if . }}data{{ else }}none{{ end }}{{ end }}{{ template `x` }}",
            "none",
        ),
        ('{{ range .Data.tags }}{{ block "b" . }}<{{ . }}>{{ end }}{{ end }}', "<x><y>"),
        (
            '{{ define "n" }}{{ if . }}{{ len . }}{{ template "n" (slice . 1) }}{{ end }}{{ end }}{{ template "n" "abc" }}',
            "321",
        ),
        ("{{ .Data.map }}", "map[a:1 b:2]"),
        ("{{ .Data.tags }}", "[x y]"),
    ],
)
def test_templates_render_as_in_go(template: str, text: str):
    assert render(template, DATA) == text


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ('<a href="{{ .Url }}">', '<a href="https://a.es/x?b=c&amp;d=%20e">'),
        ('<a href="https://b.es/?to={{ .Url }}&x=1">', '<a href="https://b.es/?to=https%3A%2F%2Fa.es%2Fx%3Fb%3Dc%26d%3D%2520e&x=1">'),
        ("<img src='/p/{{ .Name }}?n={{ .Name }}'>", "<img src='/p/%22%C3%B1%22?n=%22%C3%B1%22'>"),
        ('<a HREF="{{ .Url }}&y={{ .Name }}">', '<a HREF="https://a.es/x?b=c&amp;d=%20e&y=%22%C3%B1%22">'),
        ('{{ if true }}<a href="/?q={{ end }}{{ .Url }}">{{ .Url }}', '<a href="/?q=https%3A%2F%2Fa.es%2Fx%3Fb%3Dc%26d%3D%2520e">https://a.es/x?b=c&amp;d=%20e'),
        ('<a href="{{ .Code }}">', '<a href="#ZgotmplZ">'),
        ('<a href="/{{ .Code }}">', '<a href="/javascript:alert%281%29">'),
        ('<a href="/?q={{ urlquery .Name }}">', '<a href="/?q=%22%C3%B1%22">'),
        ('<p title="?{{ .Name }}">', '<p title="?&quot;ñ&quot;">'),
        ('<a href="/">?{{ .Name }}', '<a href="/">?&quot;ñ&quot;'),
    ],
)  # fmt: skip
def test_values_in_urls_are_encoded(template: str, text: str):
    data = {"Url": "https://a.es/x?b=c&d=%20e", "Name": '"ñ"', "Code": "javascript:alert(1)"}
    assert render(template, data) == text


@pytest.mark.parametrize(
    "template",
    [
        "{{ if .X }}",
        "{{ end }}",
        '{{ template "x" }}',
        "{{ template x }}",
        "{{ template }}",
        '{{ define "x" }}',
        '{{ define "x" }}{{ else }}{{ end }}',
        '{{ define "x" }}{{ end }}{{ define "x" }}{{ end }}',
        '{{ define "x" }}{{ template "x" }}{{ end }}{{ template "x" }}',
        '{{ define "x" }}{{ break }}{{ end }}{{ range .Data.tags }}{{ template "x" }}{{ end }}',
        '{{ $n := 1 }}{{ define "x" }}{{ $n }}{{ end }}{{ template "x" }}',
        "{{ a b }}",
        "{{ $x }}",
        "{{ $x = 1 }}",
        "{{ break }}",
        "{{ .Token := 1 }}",
        '{{ lt 1 "a" }}',
        "{{ eq 1 }}",
        "{{ index .Data.tags 9 }}",
        "{{ range .Token }}{{ end }}",
        "{{ if true }}{{ $m := 1 }}{{ end }}{{ $m }}",
    ],
)
def test_what_is_not_supported_is_an_error(template: str):
    with pytest.raises(TemplateError):
        render(template, DATA)


def test_a_record_has_no_other_fields():
    assert render("{{ .Code }}", Record(Code="1")) == "1"
    with pytest.raises(TemplateError, match="no field Token"):
        render("{{ .Token }}", Record(Code="1"))


@given(st.text(alphabet='{}.if end$-ab"()|', max_size=30))
def test_no_template_crashes_the_renderer(text: str):
    with contextlib.suppress(TemplateError):
        render(text, DATA)


def test_a_template_that_cannot_be_read_is_the_built_in_one():
    mail = compose("recovery", "a@b.es", DATA, Overrides("{{ if }", "{{ if .X }}"), "en")
    assert mail.subject == wording_of("recovery", "en").subject
    assert "<strong>1</strong>" in mail.html


@pytest.mark.parametrize("kind", [*MAIL_KINDS, *NOTICES])
def test_every_kind_has_words_in_both_languages(kind: str):
    english, spanish = wording_of(kind, "en"), wording_of(kind, "es")
    assert english.subject != spanish.subject
    for wording in (english, spanish):
        render(wording.subject, DATA)
        render(wording.body, DATA)


COMMON = {
    "invalid_credentials", "email_not_confirmed", "user_already_exists", "weak_password",
    "email_exists", "otp_expired", "same_password", "over_email_send_rate_limit",
    "over_request_rate_limit", "signup_disabled", "session_not_found", "bad_jwt", "user_banned",
    "refresh_token_not_found", "refresh_token_already_used", "session_expired", "phone_exists",
    "no_authorization", "not_admin", "user_not_found", "captcha_failed", "insufficient_aal",
    "reauthentication_needed", "mfa_verification_failed", "unexpected_failure",
}  # fmt: skip


def test_the_codes_that_people_meet_have_spanish_texts():
    worded = {row.code for row in SPANISH} | {"weak_password"}
    assert COMMON - worded == set()


def test_translations_keep_every_fact():
    for row, spanish in SPANISH.items():
        facts = {name: f"<{name}>" for name in ("reason", "seconds", "kind", "email", "scope",
                                                "name", "id")}  # fmt: skip
        message = row.message.format_map(facts) if "{" in row.message else row.message
        text = translated(row.code, message)
        assert text != message
        assert "{" not in text, spanish


def test_spanish_reasons_of_weak_passwords():
    english = "Password should be at least 8 characters. " + errors.PASSWORD_TOO_LONG.message
    assert translated("weak_password", english).startswith(
        "La contraseña debe tener al menos 8 caracteres."
    )
    assert translated("unknown_code", "text") == "text"
