"""The globs of the allow list, matched against parsed addresses (auth reference 1.6).

`*` stands for characters other than `.` and `/`, `**` for any, `?` for one other than these, with
`[…]` and `{a,b}`. In the original they are matched against the text, so that a wildcard of the
host reaches into what follows: `https://**.example.com` takes `https://evil.com/.example.com`.
Here the host and the rest of an address of the web are matched apart: see `_of_the_web`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote

from compat_base.values.urls import ACTIVE_SCHEMES, DEFAULT_PORTS, Url

_MOST_ALTERNATIVES = 256
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_SEPARATOR = "\0"  # between host and path in what is matched; no address holds it
_WILD = {"*": r"[^./\0]", "**": "."}
_WILD_HOST = {"*": r"[^./\0]", "**": r"[^/\0]"}


class GlobError(ValueError):
    """The glob cannot be read; the text ends a sentence that names it."""


@dataclass(frozen=True, slots=True)
class _Token:
    """A literal character, a wildcard (`*`, `**`), or one character as a regular expression."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Glob:
    """A glob that was read; `patterns` are for the whole text or for host and rest apart."""

    of_text: tuple[re.Pattern[str], ...]
    of_parts: tuple[re.Pattern[str], ...]

    def matches(self, url: Url) -> bool:
        """Whether an address, whose fragment does not count, is among those it stands for."""
        text = url.text.partition("#")[0]
        if any(pattern.fullmatch(text) for pattern in self.of_text):
            return True
        start = f"{url.scheme}://{url.authority}"
        if not self.of_parts or not text.startswith(start):
            return False
        parts = f"{start}{_SEPARATOR}{text[len(start) :]}"
        return any(pattern.fullmatch(parts) for pattern in self.of_parts)


def read_glob(text: str) -> Glob:
    """Read a glob; GlobError where it is none or where no address could match it."""
    whole: list[re.Pattern[str]] = []
    parts: list[re.Pattern[str]] = []
    for tokens in (way for read in _alternatives(text) for way in (read, *_overlapping(read))):
        is_of_parts, pattern = _pattern(tokens)
        (parts if is_of_parts else whole).append(pattern)
    return Glob(tuple(whole), tuple(parts))


def _alternatives(text: str) -> list[list[_Token]]:
    found, end = _sequences(text, 0, nested=False)
    if end < len(text):
        raise GlobError("has a } without its {")
    return found


def _sequences(text: str, position: int, *, nested: bool) -> tuple[list[list[_Token]], int]:
    """The token sequences from a position on, one for each choice of `{a,b}`, and their end."""
    found: list[list[_Token]] = [[]]
    while position < len(text):
        character = text[position]
        if character == "}" or (character == "," and nested):
            break
        if character != "{":
            token, position = _token(text, position)
            found = [[*sequence, token] for sequence in found]
            continue
        choices: list[list[_Token]] = []
        while character != "}":
            more, position = _sequences(text, position + 1, nested=True)
            if position >= len(text):
                raise GlobError("has a { without its }")
            choices += more
            character = text[position]
        position += 1
        if len(found) * len(choices) > _MOST_ALTERNATIVES:
            raise GlobError(f"has more than {_MOST_ALTERNATIVES} alternatives")
        found = [[*sequence, *choice] for sequence in found for choice in choices]
    return found, position


def _token(text: str, position: int) -> tuple[_Token, int]:
    character = text[position]
    if text.startswith("**", position):
        return _Token("**", ""), position + 2
    if character == "*":
        return _Token("*", ""), position + 1
    if character == "?":
        return _Token("one", r"[^./\0]"), position + 1
    if character == "[":
        end = text.find("]", position + 1)
        if end < 0:
            raise GlobError("has a [ without its ]")
        return _Token("one", _class(text[position + 1 : end])), end + 1
    if character == "\\" and position + 1 < len(text):
        position += 1
    return _Token("literal", text[position]), position + 1


def _class(body: str) -> str:
    is_negated = body[:1] in {"!", "^"}
    members = re.sub(r"([\\\[\]^&~|])", r"\\\1", body[1:] if is_negated else body)
    pattern = rf"(?!\0)[{'^' if is_negated else ''}{members}]"
    try:
        re.compile(pattern)
    except re.error as error:
        raise GlobError("has a […] that cannot be read") from error
    return pattern


def _overlapping(tokens: list[_Token]) -> list[list[_Token]]:
    """What a glob of one `**` in the path stands for besides: its start and end share letters.

    The original asks for both alone: `https://example.com/**/end` takes `https://example.com/end`.
    """
    wild = [place for place, token in enumerate(tokens) if token.kind != "literal"]
    if len(wild) != 1 or tokens[wild[0]].kind != "**":
        return []
    start, end = tokens[: wild[0]], tokens[wild[0] + 1 :]
    text = "".join(token.text for token in start)
    path = text.find("/", text.find("://") + len("://"))
    lengths = range(1, min(len(start) - path, len(end)) + 1) if path >= 0 else ()
    return [[*start, *end[length:]] for length in lengths if start[-length:] == end[:length]]


def _pattern(tokens: list[_Token]) -> tuple[bool, re.Pattern[str]]:
    """The pattern of one alternative, and whether it is for host and rest apart."""
    if tokens and all(token.kind == "**" for token in tokens):
        return False, re.compile(".*", re.DOTALL)
    plain = "".join(token.text if token.kind == "literal" else "*" for token in tokens)
    scheme, colon, rest = plain.partition(":")
    if not colon or not scheme:
        raise GlobError("needs a scheme before its host, as in https://example.com/**")
    length = len(scheme)
    if _SCHEME.fullmatch(scheme) and not any(token.kind != "literal" for token in tokens[:length]):
        scheme = scheme.lower()
        if scheme in ACTIVE_SCHEMES:
            raise GlobError(f"allows {scheme}:, which no browser may be sent to")
        start = [_Token("literal", character) for character in scheme]
        if scheme not in DEFAULT_PORTS:
            return False, _compiled(_regex([*start, *tokens[length:]], _WILD))
        if tokens[length + 1 :] == [_Token("**", "")]:
            rest, tokens = "//*", [*tokens[: length + 1], *_literals("//"), _Token("**", "")]
    else:
        start, scheme = tokens[:length], ""
    if not rest.startswith("//"):
        raise GlobError("needs :// after its scheme, as in https://example.com/**")
    head = _regex(start, {"*": "[a-z0-9+.-]", "**": "[a-z0-9+.-]"})
    return True, _compiled(f"{head}://{_of_the_web(tokens[length + 3 :], scheme)}")


def _of_the_web(tokens: list[_Token], scheme: str) -> str:
    """Host and rest: a wildcard of the host stays in it, and lengthens no name at its end.

    `https://example.com**` stands for every port and path of example.com, not for
    example.com.evil.com.
    """
    slash = _Token("literal", "/")
    end = tokens.index(slash) if slash in tokens else len(tokens)
    host, rest = _host_tokens(tokens[:end], scheme), tokens[end:]
    last = host[-1] if host else None
    if last is None:
        raise GlobError("has no host")
    if last.kind not in _WILD:
        return _regex([*host, _Token("literal", _SEPARATOR), *_encoded(rest)], _WILD, _WILD_HOST)
    kept, before = host[:-1], host[-2:-1]
    lengthens = not before or (before[0].kind == "literal" and not before[0].text.isalnum())
    tail = [last] if lengthens else [_Token("one", "(?::[0-9]+)?")]
    after = _encoded(rest) if rest else [last]
    return _regex([*kept, *tail, _Token("literal", _SEPARATOR), *after], _WILD, _WILD_HOST)


def _host_tokens(tokens: list[_Token], scheme: str) -> list[_Token]:
    """The host's tokens in the form in which hosts are serialised."""
    for token in tokens:
        if token.kind == "literal" and (not token.text.isascii() or token.text in "@\\#?%"):
            raise GlobError("has a host in another form than addresses have: xn--… for letters")
    found = [_Token(token.kind, token.text.lower()) for token in tokens]
    port = _literals(f":{DEFAULT_PORTS.get(scheme, '')}")
    return found[: -len(port)] if scheme and found[-len(port) :] == port else found


def _encoded(tokens: list[_Token]) -> list[_Token]:
    """Tokens of a path as addresses spell them: other letters than ASCII are percent-encoded."""
    return [
        part
        for token in tokens
        for part in (
            _literals(quote(token.text))
            if token.kind == "literal" and (not token.text.isascii() or token.text == " ")
            else [token]
        )
    ]


def _literals(text: str) -> list[_Token]:
    return [_Token("literal", character) for character in text]


def _regex(
    tokens: list[_Token], wild: dict[str, str], wild_host: dict[str, str] | None = None
) -> str:
    """The tokens as a regular expression whose time grows with the text, not with its powers.

    What follows a wildcard is sought once, at its first place, where another wildcard can make up
    for the difference.
    """
    here = wild if wild_host is None else wild_host
    groups: list[tuple[str, list[str]]] = [("", [])]
    for token in tokens:
        if token.kind in wild:
            kind = here[token.kind]
            if groups[-1][0] and not groups[-1][1]:  # two wildcards side by side are the wider one
                groups[-1] = (max(groups[-1][0], kind, key=_width), [])
            else:
                groups.append((kind, []))
        else:
            groups[-1][1].append(token.text if token.kind == "one" else re.escape(token.text))
        if token == _Token("literal", _SEPARATOR):
            here = wild
    text = ""
    for index in range(len(groups) - 1, 0, -1):
        kind, chunk = groups[index]
        following = groups[index + 1][0] if index + 1 < len(groups) else None
        body = f"{kind}*?{''.join(chunk)}"
        can_be_first = following is not None and _width(following) >= _width(kind)
        text = f"(?>{body}){text}" if can_be_first else f"{body}{text}"
    return "".join(groups[0][1]) + text


def _width(kind: str) -> int:
    """How much a wildcard takes, beside others."""
    return {".": 3, r"[^/\0]": 2}.get(kind, 1)


def _compiled(text: str) -> re.Pattern[str]:
    return re.compile(text, re.DOTALL)
