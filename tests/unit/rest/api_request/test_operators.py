"""An operator of filters is one row of one table."""

import subprocess
import sys
from pathlib import Path

import pytest

from rest_compat.api_request.operators import BY_NAME, OPERATORS, Family, names_of

ROOT = Path(__file__).resolve().parents[4]
ADDED = """
import sys
from importlib.util import module_from_spec, spec_from_file_location

# The table with one row more, before anything reads it.
NAME = "rest_compat.api_request.operators"
spec = spec_from_file_location(NAME, "rest_compat/api_request/operators.py")
operators = sys.modules[NAME] = module_from_spec(spec)
spec.loader.exec_module(operators)
row = operators.Operator("starts", "^@", operators.Family.QUANTIFIED, wildcard=True)
operators.OPERATORS += (row,)
operators.BY_NAME["starts"] = row

from compat_base.values.http import HttpRequest
from rest_compat.catalog.model import Column, SchemaCache, Table
from rest_compat.names import QualifiedName
from rest_compat.pipeline import prepare
from rest_compat.query.build import fill
from rest_compat.request.shape import split_request
from rest_compat.runtime.snapshot import make_snapshot
from rest_compat.settings import read_settings

name = QualifiedName("public", "emp")
columns = {"name": Column("name", None, True, "text", "text", None, None, ())}
table = Table(name, None, False, True, True, True, (), columns)
snapshot = make_snapshot(read_settings({}), SchemaCache(tables={name: table}))
for query in ("name=starts.a*", "name=not.starts(any).{a}", "or=(name.starts.a*,name.eq.b)"):
    shape, values = split_request(HttpRequest("GET", "/emp", "/emp", query, ()), snapshot.exposure)
    main = fill(prepare(shape, snapshot.cache, snapshot.rules).script.main, values)
    print(main.text.partition("WHERE ")[2].partition(" )")[0], main.args)
"""


def test_a_row_added_is_parsed_kept_apart_from_its_value_and_written_as_sql():
    ran = subprocess.run(
        [sys.executable, "-c", ADDED], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.stderr == ""
    assert ran.stdout.splitlines() == [
        """"public"."emp"."name" ^@ $1 (b'a%',)""",
        """NOT "public"."emp"."name" ^@ ANY($1) (b'{a}',)""",
        """("public"."emp"."name" ^@ $1 OR "public"."emp"."name" = $2) (b'a%', b'b')""",
    ]


def test_no_name_stands_before_one_that_it_begins():
    for family in Family:
        names = names_of(family)
        for place, name in enumerate(names):
            assert not any(later.startswith(name) for later in names[place + 1 :])


def test_names_are_given_once():
    assert len(BY_NAME) == len(OPERATORS)


@pytest.mark.parametrize("name", ["like", "ilike"])
def test_wildcards_are_those_of_like(name):
    assert BY_NAME[name].wildcard
    assert not BY_NAME[name].reads_domain
