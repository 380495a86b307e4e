"""JSONPath (RFC 9535): the path to the role in a token's claims.

Not by a library, because `--dump-config` writes a path as it was given, with dots or quoted, which
libraries forget, and because the original knows only one function of the RFC's, `search()`.

In import order:

- `model`: a path as a tree of frozen values
- `reading`: text → path
- `finding`: the values that a path leads to
- `writing`: path → text
"""

from rest_compat.auth.json_path.finding import find
from rest_compat.auth.json_path.model import JsonPathError, Path
from rest_compat.auth.json_path.reading import parse_json_path
from rest_compat.auth.json_path.writing import text_of

__all__ = ["JsonPathError", "Path", "find", "parse_json_path", "text_of"]
