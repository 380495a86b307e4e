"""Facts and a template to a Mail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gotrue_compat.mail.gotemplate import TemplateError, render
from gotrue_compat.mail.wording import wording_of
from gotrue_compat.ports import Mail


def compose(
    kind: str,
    recipient: str,
    data: Mapping[str, Any],
    *,
    language: str,
    subject: str | None,
    template: str | None,
) -> Mail:
    """A mail of the given subject and template, the built-in ones where None or unreadable."""
    builtin = wording_of(kind, language)
    return Mail(
        recipient=recipient,
        subject=_filled(subject, builtin.subject, data, escape=False),
        html=_filled(template, builtin.body, data, escape=True),
        kind=kind,
    )


def _filled(given: str | None, builtin: str, data: Mapping[str, Any], *, escape: bool) -> str:
    if given is not None:
        try:
            return render(given, data, escape=escape)
        except TemplateError:
            pass  # as the original: a template that cannot be read is the built-in one
    return render(builtin, data, escape=escape)
