"""The schema cache as the admin server shows it."""

from rest_compat.catalog.dump import schema_cache_json
from rest_compat.catalog.model import (
    Cardinality,
    Column,
    ComputedRelationship,
    CustomHandler,
    Junction,
    Parameter,
    Relationship,
    ReturnType,
    Routine,
    SchemaCache,
    Table,
)
from rest_compat.http.media_types import MediaKind, MediaType
from rest_compat.names import QualifiedName

EMP, SKILL = QualifiedName("api", "emp"), QualifiedName("api", "skill")


def test_a_table_is_told_with_its_columns_by_name():
    column = Column("id", None, False, "integer", "integer", None, None, ())
    table = Table(EMP, "people", False, True, True, False, ("id",), {"id": column})
    [[name, dumped]] = schema_cache_json(SchemaCache(tables={EMP: table}))["dbTables"]
    assert name == {"qiName": "emp", "qiSchema": "api"}
    assert (dumped["tableName"], dumped["tablePKCols"], dumped["tableDeletable"]) == (
        "emp",
        ["id"],
        False,
    )
    assert dumped["tableColumns"]["id"]["colNominalType"] == "integer"
    assert list(dumped) == sorted(dumped)


def test_relationships_are_told_by_origin_with_their_cardinality():
    pairs = (("id", "emp_id"),)
    junction = Junction(QualifiedName("api", "both"), "c1", "c2", pairs, pairs)
    found = (
        Relationship(EMP, SKILL, False, Cardinality.ONE_TO_ONE, "fk", pairs, is_parent=True),
        Relationship(EMP, SKILL, False, Cardinality.MANY_TO_MANY, "", (), junction),
        ComputedRelationship(QualifiedName("api", "best"), EMP, SKILL, True, False),
    )
    relationships = {(SKILL, "api"): (), (EMP, "other"): (), (EMP, "api"): found}
    shown = schema_cache_json(SchemaCache(relationships=relationships))["dbRelationships"]
    assert [(origin["qiName"], schema) for (origin, schema), _ in shown] == [
        ("emp", "api"),
        ("emp", "other"),
        ("skill", "api"),
    ]
    dumped = shown[0][1]
    assert dumped[0]["relCardinality"] == {
        "isParent": True,
        "relColumns": [["id", "emp_id"]],
        "relCons": "fk",
        "tag": "O2O",
    }
    assert dumped[1]["relCardinality"]["contents"]["junTable"]["qiName"] == "both"
    assert (dumped[2]["tag"], dumped[2]["relToOne"]) == ("ComputedRelationship", True)


def test_a_routine_is_told_with_its_isolation_and_return_type():
    returns = ReturnType(EMP, is_set=True, is_composite=True, is_alias=False)
    routine = Routine(
        QualifiedName("api", "f"),
        None,
        (Parameter("a", "integer", "integer", required=True, variadic=False),),
        returns,
        "s",
        False,
        "REPEATABLE READ",
        (("statement_timeout", "10s"),),
    )
    shown = schema_cache_json(SchemaCache(routines={routine.name: (routine,)}))
    [[_, [dumped]]] = shown["dbRoutines"]
    assert (dumped["pdIsoLvl"], dumped["pdVolatility"]) == ("RepeatableRead", "Stable")
    assert dumped["pdReturnType"] == {
        "contents": {"contents": [{"qiName": "emp", "qiSchema": "api"}, False], "tag": "Composite"},
        "tag": "SetOf",
    }
    assert dumped["pdFuncSettings"] == [["statement_timeout", "10s"]]


def test_media_handlers_are_told_the_builtin_ones_first():
    shout = MediaType(MediaKind.OTHER, "text/shout")
    handlers = SchemaCache().handlers | {  # pyright: ignore[reportOperatorIssue] — a plain dict
        (EMP, shout): (CustomHandler(QualifiedName("api", "f"), EMP), shout)
    }
    dumped = schema_cache_json(SchemaCache(handlers=handlers))["dbMediaHandlers"]
    tags = [(key[1]["tag"], value[0]["tag"]) for key, value in dumped]
    assert tags == [
        ("MTTextCSV", "BuiltinOvAggCsv"),
        ("MTGeoJSON", "BuiltinOvAggGeoJson"),
        ("MTApplicationJSON", "BuiltinOvAggJson"),
        ("MTAny", "BuiltinOvAggJson"),
        ("MTOther", "CustomFunc"),
    ]


def test_representations_are_told_by_their_two_types():
    shown = schema_cache_json(SchemaCache(representations={("text", "api.color"): "api.color"}))
    assert shown["dbRepresentations"] == [
        [
            ["text", "api.color"],
            {"drFunction": "api.color", "drSourceType": "text", "drTargetType": "api.color"},
        ]
    ]
