"""Which columns of views are never null, by their printed trees."""

from __future__ import annotations

import pytest

from compat_stack.schema_types.view_columns import required_columns

PEOPLE, NOTES, VIEW, OTHER = 10, 11, 20, 21
REQUIRED = {(PEOPLE, 1), (NOTES, 1)}
TABLES = f"{{RANGETBLENTRY :rtekind 0 :relid {PEOPLE}}} {{RANGETBLENTRY :rtekind 0 :relid {NOTES}}}"
ONE, TWO, THREE = (f"{{RANGETBLREF :rtindex {number}}}" for number in (1, 2, 3))


def variable(relation: int, column: int = 1, up: int = 0) -> str:
    return f"{{VAR :varno {relation} :varattno {column} :varlevelsup {up}}}"


def query(columns: str, tables: str = TABLES, tree: str = f"{ONE} {TWO}", more: str = "") -> str:
    entries = " ".join(
        f"{{TARGETENTRY :expr {each} :resno {number} :resjunk false}}"
        for number, each in enumerate(columns.split("|"), 1)
    )
    return (
        f"{{QUERY :rtable ({tables}) :jointree {{FROMEXPR :fromlist ({tree})}}"
        f" :targetList ({entries}) :setOperations <> :groupingSets <> {more}}}"
    )


def join(kind: int, left: str = ONE, right: str = TWO) -> str:
    return f"{{JOINEXPR :jointype {kind} :larg {left} :rarg {right} :rtindex 3}}"


def found(text: str, other: str = "") -> set[int]:
    definitions = {VIEW: f"({text})"} | ({OTHER: f"({other})"} if other else {})
    return {column for view, column in required_columns(definitions, REQUIRED) if view == VIEW}


BOTH = f"{variable(1)}|{variable(2)}"


@pytest.mark.parametrize(("kind", "expected"), [(0, {1, 2}), (1, {1}), (2, set[int]()), (3, {2})])
def test_an_outer_join_leaves_the_columns_of_its_other_side_out(kind: int, expected: set[int]):
    assert found(query(BOTH, tree=join(kind))) == expected


def test_a_join_within_an_outer_join_is_left_out_with_it():
    assert found(query(BOTH, tree=join(1, THREE, join(0)))) == set()


def test_a_column_is_required_where_it_is_shown_as_it_is():
    calculated = "{OPEXPR :opno 551}"
    shown = f"{variable(1)}|{variable(1, 2)}|{variable(1, 0)}|{variable(1, 1, 1)}|{calculated}"
    assert found(query(shown)) == {1}


def test_a_column_is_followed_through_subqueries_joins_and_groups():
    inner = query(variable(1))
    for entry in (
        f"{{RANGETBLENTRY :rtekind 1 :subquery {inner}}}",
        f"{{RANGETBLENTRY :rtekind 2 :joinaliasvars ({variable(1)})}}",
        f"{{RANGETBLENTRY :rtekind 9 :groupexprs ({variable(1)})}}",
    ):
        assert found(query(f"{variable(3)}|{variable(3, 2)}", f"{TABLES} {entry}")) == {1}


def test_a_column_is_followed_through_what_stands_in_a_with_but_not_where_it_is_recursive():
    entry = "{RANGETBLENTRY :rtekind 6 :ctename w :ctelevelsup 0}"
    for recursive, expected in (("false", {1}), ("true", set[int]())):
        table = f"{{COMMONTABLEEXPR :ctename w :ctequery {query(variable(1))} :cterecursive {recursive}}}"
        text = query(variable(1), entry, ONE, f":cteList ({table})")
        assert found(text) == expected
        assert found(query(variable(1), entry.replace("up 0", "up 7"), ONE)) == set()


def test_a_column_is_followed_through_other_views():
    entry = f"{{RANGETBLENTRY :rtekind 0 :relid {OTHER}}}"
    assert found(query(variable(1), entry, ONE), other=query(variable(1))) == {1}
    assert found(query(variable(1), entry, ONE), other=query(variable(1, 2))) == set()


@pytest.mark.parametrize("more", [":setOperations {SETOPERATIONSTMT :op 0}", ":groupingSets ({X})"])
def test_no_column_of_a_union_or_of_grouping_sets_is_required(more: str):
    assert found(query(variable(1), more=more)) == set()


def test_a_view_that_reads_itself_or_cannot_be_read_has_none():
    entry = f"{{RANGETBLENTRY :rtekind 0 :relid {VIEW}}}"
    assert found(query(variable(1), entry, ONE)) == set()
    assert found("{QUERY") == set()
    assert found("<>") == set()
