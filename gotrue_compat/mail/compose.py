"""Facts and a template to a Mail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gotrue_compat.mail.gotemplate import TemplateError, render
from gotrue_compat.mail.wording import wording_of
from gotrue_compat.ports import Mail


@dataclass(frozen=True, slots=True)
class Overrides:
    """A deployment's own subject and template of a mail kind, None where it has none."""

    subject: str | None
    template: str | None


def compose(
    kind: str, recipient: str, data: Mapping[str, Any], overrides: Overrides, language: str
) -> Mail:
    """A mail in a deployment's own words, the built-in ones where it has none or unreadable."""
    builtin = wording_of(kind, language)
    return Mail(
        recipient=recipient,
        subject=_filled(overrides.subject, builtin.subject, data, escape=False),
        html=_filled(overrides.template, builtin.body, data, escape=True),
        kind=kind,
    )


def _filled(given: str | None, builtin: str, data: Mapping[str, Any], *, escape: bool) -> str:
    if given is not None:
        try:
            return render(given, data, escape=escape)
        except TemplateError:
            pass  # as the original: a template that cannot be read is the built-in one
    return render(builtin, data, escape=escape)
