"""What the auth bench runs elsewhere: the bare loop, and the scripts of wrk."""

from __future__ import annotations

BARE = """
import json, secrets, sys, uuid
from datetime import datetime, timedelta, timezone
import asyncpg, uvicorn
from compat_base.postgres.queries import load_queries
USER = load_queries("gotrue_compat.store", "users.sql")["find_current"]
SESSIONS = load_queries("gotrue_compat.store", "sessions.sql")
ROTATE, EXCHANGE = SESSIONS["rotate_active"], SESSIONS["exchange_active"]
async def keep(connection): pass
async def answered(send, answer):
    head = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(answer))]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": answer})
async def app(scope, receive, send):
    global pool
    if scope["type"] == "lifespan":
        await receive()
        pool = await asyncpg.create_pool(sys.argv[1], min_size=10, max_size=10, reset=keep,
                                         server_settings={"search_path": "auth"})
        await send({"type": "lifespan.startup.complete"})
        await receive()
        return
    body = (await receive()).get("body", b"")
    answer = b"{}"
    async with pool.acquire() as c:
        if scope["path"] == "/user":
            row = await c.fetchrow(USER, *([uuid.UUID(one)] for one in sys.argv[3:5]))
            answer = row["raw_user_meta_data"].encode()
        elif scope["path"] == "/token":
            sent = json.loads(body)
            child, now = secrets.token_hex(6), datetime.now(timezone.utc)
            if "auth_code" in sent:
                window = now - timedelta(minutes=5), now + timedelta(minutes=5)
                new = uuid.uuid4(), uuid.uuid4(), child, uuid.uuid4(), now
                use = now, "wrk", "127.0.0.1"
                columns = (sent["auth_code"], sys.argv[5], *window, *use, *new)
                await c.fetchrow(EXCHANGE, *([one] for one in columns))
                return await answered(send, json.dumps({"refresh_token": child}).encode())
            token = sent["refresh_token"]
            use = child, now, "wrk", "127.0.0.1", None, None, None
            columns = [[one] for one in (token, *use, uuid.uuid4(), now, uuid.uuid4(), now)]
            await c.fetchrow(ROTATE, *columns)
            answer = json.dumps({"refresh_token": child}).encode()
    await answered(send, answer)
uvicorn.run(app, port=int(sys.argv[2]), loop="uvloop", http="httptools", access_log=False,
            log_level="error")
"""
# Every request is of another user than the one before
READING = """
local tokens, turn = {%s}, 0
function request()
  turn = turn %% #tokens + 1
  return wrk.format("GET", "/user", {["Authorization"] = "Bearer " .. tokens[turn]})
end
"""
# Each thread of wrk is one client, whose next refresh sends the token of the last answer
REFRESHING = """
local number = 0
function setup(thread)
  number = number + 1
  thread:set("token", ({%s})[number])
end
function request()
  local body = '{"refresh_token":"' .. token .. '"}'
  return wrk.format("POST", "/token?grant_type=refresh_token", wrk.headers, body)
end
function response(status, headers, body)
  token = body:match('"refresh_token": *"([^"]+)"') or token
end
"""
# Each thread of wrk is one client, who exchanges codes of its own, one after the other
EXCHANGING = """
local threads = 0
function setup(thread)
  threads = threads + 1
  thread:set("prefix", ({%s})[threads])
  thread:set("number", 0)
end
function request()
  number = number + 1
  local body = '{"auth_code":"' .. prefix .. number .. '","code_verifier":"%s"}'
  return wrk.format("POST", "/token?grant_type=pkce", wrk.headers, body)
end
"""
