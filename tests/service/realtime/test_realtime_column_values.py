"""Values arrive as `to_jsonb` would give them, digit by digit (realtime reference 10, values)."""

from __future__ import annotations

import json

import pytest

from tests.harness_realtime import Served

# type, literal, JSON text as it must stand in the frame, type name in `columns`
VALUES = [
    ("int2", "-7", "-7", "int2"),
    ("int8", "9007199254740993", "9007199254740993", "int8"),
    ("numeric", "1.10", "1.10", "numeric"),
    ("numeric", "NaN", "null", "numeric"),
    ("numeric(5,2)", "3", "3.00", "numeric"),
    ("float8", "1e25", "10000000000000000000000000", "float8"),
    ("float8", "1.5e-7", "0.00000015", "float8"),
    ("float4", "0.1", "0.1", "float4"),
    ("float8", "Infinity", "null", "float8"),
    ("bool", "t", "true", "bool"),
    ("text", 'a"\\ñ\n😀', json.dumps('a"\\ñ\n😀', ensure_ascii=False), "text"),
    ("varchar(5)", "abc", '"abc"', "varchar"),
    (
        "uuid",
        "11111111-1111-4111-8111-111111111111",
        '"11111111-1111-4111-8111-111111111111"',
        "uuid",
    ),
    ("date", "2024-02-03", '"2024-02-03"', "date"),
    ("time", "04:05:06.5", '"04:05:06.5"', "time"),
    ("timetz", "04:05:06+02", '"04:05:06+02"', "timetz"),
    ("timestamp", "2024-02-03 04:05:06.789", '"2024-02-03T04:05:06.789"', "timestamp"),
    (
        "timestamptz",
        "2024-02-03 04:05:06.789123+05",
        '"2024-02-02T23:05:06.789123+00:00"',
        "timestamptz",
    ),
    ("timestamptz", "infinity", '"infinity"', "timestamptz"),
    ("interval", "1 day 02:00", '"1 day 02:00:00"', "interval"),
    ("json", '{"a": 1.50}', '{"a": 1.50}', "json"),
    ("jsonb", '{"a": [1.50, null]}', '{"a": [1.50, null]}', "jsonb"),
    ("jsonb", "null", "null", "jsonb"),
    ("bytea", "\\x0102ff", '"0102ff"', "bytea"),
    ("inet", "10.0.0.1/8", '"10.0.0.1/8"', "inet"),
    ("point", "(1,2)", '"(1,2)"', "point"),
    ("int4range", "[1,5)", '"[1,5)"', "int4range"),
    ("oid", "5", '"5"', "oid"),
    ("money", "3.50", '"$3.50"', "money"),
    ("bit varying", "101", '"101"', "varbit"),
    ("int4[]", "{1,NULL,3}", "[1,null,3]", "_int4"),
    ("int4[]", "{{1,2},{3,4}}", "[[1,2],[3,4]]", "_int4"),
    ("int4[]", "[0:1]={7,8}", "[7,8]", "_int4"),
    ("int4[]", "{}", "[]", "_int4"),
    (
        "text[]",
        '{"a,b","c\\"d","NULL",NULL,"",x\\,y}',
        '["a,b","c\\"d","NULL",null,"","x,y"]',
        "_text",
    ),
    ("jsonb[]", '{"{\\"a\\": 1}"}', '[{"a": 1}]', "_jsonb"),
    (
        "timestamptz[]",
        '{"2024-02-03 04:05:06+00"}',
        '["2024-02-03T04:05:06+00:00"]',
        "_timestamptz",
    ),
    ("box[]", "{(1,1),(0,0);(3,3),(2,2)}", '["(1,1),(0,0)","(3,3),(2,2)"]', "_box"),
    ("mood", "happy", '"happy"', "mood"),
    ("mood[]", "{happy}", '["happy"]', "_mood"),
    ("positive", "5", "5", "positive"),
    ("pair", '(1,"a ""b"" (c)")', '{"a":1,"b":"a \\"b\\" (c)"}', "pair"),
    ("pair", "(,)", '{"a":null,"b":null}', "pair"),
    ("pair[]", '{"(1,x)","(2,)"}', '[{"a":1,"b":"x"},{"a":2,"b":null}]', "_pair"),
    (
        "extensions.hstore",
        '"a"=>"1", "b"=>NULL, "q\\"x"=>"y\\\\z"',
        '{"a":"1","b":null,"q\\"x":"y\\\\z"}',
        "hstore",
    ),
]


@pytest.fixture(scope="module")
async def typed(served: Served) -> Served:
    columns = ", ".join(f"c{number} {kind}" for number, (kind, *_) in enumerate(VALUES))
    await served.sql(
        "create extension if not exists hstore schema extensions",
        "create type mood as enum ('sad', 'happy')",
        "create type pair as (a int, b text)",
        "create domain positive as int check (value > 0)",
        f"create table typed (id int primary key, {columns})",
        "grant select on typed to anon",
        "alter publication supabase_realtime add table typed",
    )
    return served


async def test_every_type_has_its_json(typed: Served):
    literals = ", ".join("'" + value.replace("'", "''") + "'" for _, value, _, _ in VALUES)
    async with typed.connect() as client:
        await client.subscribe({"event": "*", "schema": "public", "table": "typed"})
        await typed.sql("set lc_monetary = 'C'", f"insert into typed values (1, {literals})")
        frame = await client.text_until("postgres_changes")
        types = [column["type"] for column in json.loads(frame)[4]["data"]["columns"]]
        assert types == ["int4", *(name for *_, name in VALUES)]
        wrong = [
            (kind, value, text)
            for number, (kind, value, text, _) in enumerate(VALUES)
            if f'"c{number}":{text},' not in frame + "," and f'"c{number}":{text}}}' not in frame
        ]
        assert wrong == [], frame


async def test_null_is_null_for_every_type(typed: Served):
    async with typed.connect() as client:
        await client.subscribe({"event": "*", "schema": "public", "table": "typed"})
        await typed.sql("insert into typed (id) values (2)")
        record = (await client.change())["data"]["record"]
        assert record == {"id": 2} | {f"c{number}": None for number in range(len(VALUES))}


async def test_a_stored_generated_column_is_part_of_a_change(typed: Served):
    await typed.sql(
        "create table sums (id int primary key, twice int generated always as (id * 2) stored)",
        "grant select on sums to anon",
        "alter publication supabase_realtime add table sums",
    )
    async with typed.connect() as client:
        await client.subscribe({"event": "*", "schema": "public", "table": "sums"})
        await typed.sql("insert into sums values (4)")
        assert (await client.change())["data"]["record"] == {"id": 4, "twice": 8}
