"""Users whose rows were not written by the service."""

from __future__ import annotations

from tests.harness_auth import Auth, admin_token, problem


async def test_users_of_foreign_sql_are_accepted(auto: Auth, email: str):
    """Rows that projects insert by themselves hold NULL where the service writes empty text."""
    await auto.rows(
        "insert into auth.users (instance_id, id, aud, role, email, created_at, updated_at, "
        "email_confirmed_at) values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), "
        "'authenticated', 'authenticated', $1, now(), now(), now())", email,
    )  # fmt: skip
    assert problem(await auto.sign_in(email))[1] == "invalid_credentials"
    assert (await auto.post("/recover", {"email": email})).status_code == 200
    listed = await auto.get(f"/admin/users?filter={email[:20]}", token=admin_token())
    assert listed.json()["users"][0]["phone"] == ""
