"""The statements that begin and set up a script's transaction, for one caller and request."""

from __future__ import annotations

from compat_base.values.http import HttpRequest
from rest_compat.query.build import TransactionScript
from rest_compat.query.session import (
    Caller,
    Pairs,
    Preamble,
    begin,
    needs_no_begin,
    request_settings,
    set_all,
)
from rest_compat.request.headers import RequestHeaders


def make_preamble(
    script: TransactionScript,
    caller: tuple[Caller, Pairs],
    request: HttpRequest,
    headers: RequestHeaders,
    *,
    authenticated: bool,
) -> Preamble:
    """The preamble; the caller comes with its `caller_settings`, which are made before."""
    who, caller_pairs = caller
    pairs = (
        script.settings_before
        + caller_pairs
        + request_settings(request.method, request.raw_path, headers)
        + script.settings_after
    )
    called = () if script.pre_request is None else (script.pre_request,)
    alone = None
    if needs_no_begin(script.facts, who):
        alone = (set_all(pairs, read_only=True), *called)
    return Preamble(
        statements=(begin(script.facts, who), set_all(pairs), *called),
        alone=alone,
        authenticated=authenticated,
    )
