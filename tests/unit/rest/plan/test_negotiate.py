"""Who makes the body, and as which media type."""

import pytest

from compat_base.values.errors import ApiError
from rest_compat.catalog.model import BUILTIN_HANDLERS, SchemaCache
from rest_compat.http.media_types import CSV, JSON, OPENAPI, accepted, decode_media_type
from rest_compat.plan.model import BuiltinHandler
from rest_compat.plan.negotiate import negotiate, negotiate_root
from tests.harness_rest_plans import EMP

CACHE = SchemaCache(handlers=BUILTIN_HANDLERS)


def chosen(accept, *, plans=False):
    return negotiate(CACHE, EMP, accepted(accept), everything=True, plans=plans)


def test_the_first_accepted_type_that_can_be_made_is_sent():
    assert chosen("image/png, text/csv") == (BuiltinHandler.CSV, CSV)
    assert chosen("*/*") == (BuiltinHandler.JSON, JSON)
    assert chosen("application/vnd.pgrst.object")[0] is BuiltinHandler.OBJECT


def test_a_plan_is_made_where_it_is_allowed():
    wanted = decode_media_type("application/vnd.pgrst.plan+json")
    assert chosen("application/vnd.pgrst.plan+json", plans=True) == (BuiltinHandler.JSON, wanted)
    with pytest.raises(ApiError) as raised:
        chosen("application/vnd.pgrst.plan+json")
    assert raised.value.problem.code == "PGRST107"


def test_the_root_document_is_openapi_also_for_who_asks_for_json():
    assert negotiate_root(accepted("application/json")) == OPENAPI
    with pytest.raises(ApiError):
        negotiate_root(accepted("text/csv"))
