"""The language that a request prefers (RFC 9110, section 12.5.4)."""

from __future__ import annotations

from compat_base.values.http import HttpRequest


def prefers_spanish(request: HttpRequest) -> bool:
    """Whether Spanish is the language the request likes best (RFC 9110, section 12.5.4)."""
    best, best_weight = "", 0.0
    for part in (request.header("accept-language") or "").split(","):
        name, _, parameters = part.strip().partition(";")
        weight = _weight(parameters)
        if name and weight > best_weight:
            best, best_weight = name.lower(), weight
    return best == "es" or best.startswith("es-")


def _weight(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    try:
        return float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return 0.0
