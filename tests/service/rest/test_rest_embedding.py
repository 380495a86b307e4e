"""Embedded resources: relationships, joins, directives, spreads."""

import pytest


async def rows(api, path):
    response = await api("GET", path)
    assert response.status_code == 200, response.text
    return response.json()


async def test_to_one_is_an_object_and_to_many_an_array(api):
    assert await rows(api, "/emp?select=name,dept(name)&id=eq.1") == [
        {"name": "Ann", "dept": {"name": "Sales"}}
    ]
    assert await rows(api, "/dept?select=name,emp(id)&order=id") == [
        {"name": "Sales", "emp": [{"id": 1}, {"id": 2}]},
        {"name": "Labs", "emp": [{"id": 3}]},
        {"name": "Empty", "emp": []},
    ]


async def test_embeds_nest_and_cross_junctions(api):
    path = "/dept?select=emp(name,skill(label))&id=eq.1&emp.order=id&emp.skill.order=label"
    assert await rows(api, path) == [
        {
            "emp": [
                {"name": "Ann", "skill": [{"label": "sql"}, {"label": "tea"}]},
                {"name": "Bob", "skill": [{"label": "sql"}]},
            ]
        }
    ]


async def test_one_to_one_is_an_object_from_both_sides(api):
    assert await rows(api, "/emp?select=desk(room)&id=eq.1") == [{"desk": {"room": "A"}}]
    assert await rows(api, "/desk?select=emp(name)&room=eq.B") == [{"emp": {"name": "Bob"}}]


async def test_directives_reach_into_embeds_by_alias(api):
    path = "/dept?select=who:emp(name)&id=eq.1&who.pay=gt.25&who.order=name.desc&who.limit=1"
    assert await rows(api, path) == [{"who": [{"name": "Ann"}]}]
    path = "/dept?select=emp(id)&id=eq.1&emp.or=(name.eq.Bob,name.eq.Cyd)"
    assert await rows(api, path) == [{"emp": [{"id": 2}]}]


async def test_inner_embeds_drop_parents_also_from_the_count(api):
    path = "/dept?select=name,emp!inner()&emp.pay=gt.25"
    response = await api("GET", path, Prefer="count=exact")
    assert response.json() == [{"name": "Sales"}]
    assert response.headers["content-range"] == "0-0/1"


async def test_parents_are_chosen_by_the_presence_of_an_embed(api):
    assert await rows(api, "/dept?select=name,emp()&emp=is.null") == [{"name": "Empty"}]
    found = await rows(api, "/dept?select=id,emp()&or=(emp.not.is.null,name.eq.Empty)&order=id")
    assert [row["id"] for row in found] == [1, 2, 3]


async def test_a_table_embeds_itself_both_ways(api):
    assert await rows(api, "/emp?select=boss:boss_id(name)&id=eq.2") == [{"boss": {"name": "Ann"}}]
    assert await rows(api, "/emp?select=emp(name)&id=eq.1&emp.order=id") == [
        {"emp": [{"name": "Bob"}, {"name": "Cyd"}]}
    ]
    assert await rows(api, "/emp?select=kids:emp!boss_id(id)&id=eq.3") == [{"kids": []}]


async def test_hints_pick_one_of_several_relationships(api):
    assert await rows(api, "/ticket?select=home:dept!ticket_home(name)") == []
    assert await rows(api, "/ticket?select=dept!away(name)") == []
    assert await rows(api, "/ticket?select=ticket_home(name)") == []


async def test_several_relationships_are_listed(api):
    response = await api("GET", "/ticket?select=dept(*)")
    assert response.status_code == 300
    problem = response.json()
    assert problem["code"] == "PGRST201"
    assert problem["details"] == [
        {
            "cardinality": "many-to-one",
            "embedding": "ticket with dept",
            "relationship": f"ticket_{name} using ticket({name}) and dept(id)",
        }
        for name in ("away", "home")
    ]
    assert "'dept!ticket_away', 'dept!ticket_home'" in problem["hint"]


async def test_a_missing_relationship_names_the_nearest(api):
    response = await api("GET", "/emp?select=dpt(*)")
    assert response.status_code == 400
    assert response.json() == {
        "code": "PGRST200",
        "details": "Searched for a foreign key relationship between 'emp' and 'dpt' in the schema"
        " 'api', but no matches were found.",
        "hint": "Perhaps you meant 'dept' instead of 'dpt'.",
        "message": "Could not find a relationship between 'emp' and 'dpt' in the schema cache",
    }


async def test_views_inherit_the_relationships_of_their_columns(api):
    assert await rows(api, "/rich?select=name,dept(name)") == [
        {"name": "Ann", "dept": {"name": "Sales"}}
    ]
    assert await rows(api, "/dept?select=rich(name)&id=eq.1") == [{"rich": [{"name": "Ann"}]}]


async def test_functions_of_a_row_are_relationships(api):
    assert await rows(api, "/dept?select=name,head(name)&id=eq.1") == [
        {"name": "Sales", "head": {"name": "Ann"}}
    ]


async def test_to_one_spreads_lend_their_columns_and_aggregates(api):
    assert await rows(api, "/emp?select=name,...dept(team:name)&id=eq.3") == [
        {"name": "Cyd", "team": "Labs"}
    ]
    assert await rows(api, "/emp?select=dept_id,...dept(id.count())&order=dept_id") == [
        {"dept_id": 1, "count": 2},
        {"dept_id": 2, "count": 1},
    ]


async def test_to_many_spreads_give_arrays_in_their_order(api):
    path = "/dept?select=name,...emp(name,pay)&order=id&emp.order=pay&limit=1"
    found = await rows(api, path.replace("...emp(name,pay)", "...emp(who:name,pay)"))
    assert found == [{"name": "Sales", "who": ["Bob", "Ann"], "pay": [20, 30]}]


async def test_aggregates_in_to_many_spreads_are_not_implemented(api):
    response = await api("GET", "/dept?select=...emp(pay.sum())")
    assert (response.status_code, response.json()["code"]) == (400, "PGRST127")


async def test_orders_look_into_to_one_embeds_only(api):
    found = await rows(api, "/emp?select=id,dept(name)&order=dept(name),id.desc")
    assert [row["id"] for row in found] == [3, 2, 1]
    response = await api("GET", "/emp?select=id,skill(label)&order=skill(label)")
    assert (response.status_code, response.json()["code"]) == (400, "PGRST118")


@pytest.mark.parametrize(
    "query", ["zz.id=eq.1", "zz.order=id", "zz.limit=1", "zz.or=(id.eq.1,id.eq.2)"]
)
async def test_directives_of_what_is_not_selected_are_refused(api, query):
    response = await api("GET", f"/emp?select=id&{query}")
    assert (response.status_code, response.json()["code"]) == (400, "PGRST108")


async def test_an_old_name_works_with_a_warning(api):
    response = await api("GET", "/emp?select=id,team:dept(name)&dept.name=eq.Sales&id=eq.1")
    assert response.json() == [{"id": 1, "team": {"name": "Sales"}}]
    assert "Update `dept` to `team`" in response.headers["warning"]
