"""Names of things in a database, and type names as the catalog prints them."""

from __future__ import annotations

from dataclasses import dataclass

from compat_base.values.sqltext import Sql, ident


@dataclass(frozen=True, slots=True, order=True)
class QualifiedName:
    """A schema and a name; an empty schema leaves the name to the search path or an alias."""

    schema: str
    name: str

    def sql(self) -> Sql:
        """The name quoted for SQL."""
        return ident(self.schema, self.name) if self.schema else ident(self.name)

    def __str__(self) -> str:
        return f"{self.schema}.{self.name}"


def catalog_text(text: str) -> Sql:
    """SQL the catalog itself printed: a type's name, a default expression, a cast function.

    Such text was produced by PostgreSQL's own quoting and never comes from a request.
    """
    return Sql((text,))
