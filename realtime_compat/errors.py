"""Every refusal of this service as one table: code, HTTP status and text.

A join is refused with `CODE: text`, a handshake and an HTTP call with their status and the text
alone; the texts of `system` messages stand below. Realtime reference, sections 1, 3, 4, 8, 10.
"""

from __future__ import annotations

from compat_base.values.errors import Problem, Row

# Tokens
API_KEY_MISSING = Row("API_KEY_MISSING", 401, "API key is missing")
TOKEN_EXPIRED = Row("InvalidJWTToken", 401, "Token has expired {seconds} seconds ago")
HANDSHAKE_TOKEN_EXPIRED = Row("InvalidJWTToken", 401, "Token has expired")
CLAIMS_MISSING = Row("InvalidJWTToken", 401, "Fields `role` and `exp` are required in JWT")
CLAIM_UNEXPECTED = Row("InvalidJWTToken", 401, "Invalid token")
TOKEN_MALFORMED = Row("MalformedJWT", 401, "The token provided is not a valid JWT")
SIGNATURE_INVALID = Row("JwtSignatureError", 401, "Failed to validate JWT signature")
SIGNER_UNKNOWN = Row(
    "JwtSignerError",
    401,
    "Failed to generate JWT signer, check your JWT secret or JWKS configuration",
)
SIGNER_OF_KID_UNKNOWN = Row(
    "JwtSignerError",
    401,
    'Failed to generate JWT signer for key ID (kid) "{kid}", '
    "check your JWT secret or JWKS configuration",
)

SESSION_REVOKED = Row("InvalidJWTToken", 401, "Session has been revoked")

# Joins
TOPIC_REQUIRED = Row("TopicNameRequired", 400, "You must provide a topic name")
PRIVATE_ONLY = Row("PrivateOnly", 403, "This project only allows private channels")
TOO_MANY_USERS = Row("ConnectionRateLimitReached", 429, "Too many connected users")
TOO_MANY_SOCKETS_OF_ADDRESS = Row(
    "ConnectionRateLimitReached", 429, "Too many connections from one address"
)
TOO_MANY_JOINS = Row("ClientJoinRateLimitReached", 429, "Too many joins per second")
JOIN_TOO_LARGE = Row("JoinPayloadTooLarge", 400, "Payload size of the join exceeds the limit")
TOO_MANY_CHANNELS = Row("ChannelRateLimitReached", 429, "Too many channels")
UNAUTHORIZED_TOPIC = Row(
    "Unauthorized", 403, "You do not have permissions to read from this Channel topic: {topic}"
)
UNABLE_TO_CONNECT = Row(
    "UnableToConnectToProject", 503, "Realtime was unable to connect to the project database"
)
NO_CONNECTION_FREE = Row("IncreaseConnectionPool", 503, "Please increase your connection pool size")
LACK_OF_CONNECTIONS = Row(
    "DatabaseLackOfConnections",
    503,
    "Database can't accept more connections, Realtime won't connect",
)
MISSING_PARTITION = Row(
    "MissingPartition", 503, "Realtime was unable to find the expected messages partition"
)
QUERY_CANCELLED = Row("QueryCancelled", 503, "Query was cancelled, please try again")
REPLAY_OF_PUBLIC = Row("UnableToReplayMessages", 400, "Replay is not allowed for public channels")
REPLAY_INVALID = Row("UnableToReplayMessages", 400, "Replay params are not valid")
REPLAY_FAILED = Row("UnableToReplayMessages", 503, "Realtime was unable to replay messages")

# The handshake
CONNECT_FAILED = Row("CONNECT_FAILED", 500, "Error connecting to Realtime")

# HTTP broadcasts: the body is {"message": text} unless a renderer says otherwise
HTTP_UNAUTHORIZED = Row("HTTP_UNAUTHORIZED", 401, "Unauthorized")
HTTP_FORBIDDEN = Row("HTTP_FORBIDDEN", 403, "Unauthorized")
HTTP_NOT_FOUND = Row("HTTP_NOT_FOUND", 404, "Not Found")
HTTP_BODY_TOO_LARGE = Row("HTTP_BODY_TOO_LARGE", 413, "Request body is too large")
HTTP_MALFORMED = Row("HTTP_MALFORMED", 400, "Request body is not valid JSON")
HTTP_RATE = Row("HTTP_RATE", 429, "You have exceeded your rate limit")
HTTP_BATCH_TOO_LARGE = Row(
    "HTTP_BATCH_TOO_LARGE", 429, "Too many messages to broadcast, please reduce the batch size"
)
HTTP_POOL = Row("HTTP_POOL", 429, "Connection pool exhausted")
HTTP_CANCELLED = Row("HTTP_CANCELLED", 422, "Query canceled")
HTTP_PARTITION = Row("HTTP_PARTITION", 422, "Missing messages partition")
HTTP_DATABASE = Row("HTTP_DATABASE", 422, "Tenant database unavailable")
HTTP_POLICY = Row("HTTP_POLICY", 422, "RLS policy error")
HTTP_FAILED = Row("HTTP_FAILED", 500, "Unable to authorize broadcast")

# Texts of `system` messages
SUBSCRIBED = "Subscribed to PostgreSQL"
REPLICATION_READY = "Replication connection established"
REPLICATION_LATE = "Replication connection was not established in time"
TOO_MANY_MESSAGES = "Too many messages per second"
TOO_MANY_BYTES = "Too many bytes per second"
TOO_MANY_TOKENS = "Too many access tokens per second"
TOO_MANY_PRESENCES = "Too many presence messages per second"
PRESENCE_WINDOW = "Client presence rate limit exceeded"
PRESENCE_TOO_LARGE = "Track message size exceeded"
PRESENCE_ROOM_FULL = "Presence of this Channel topic is full"
LOST_READ = "You no longer have permission to read from this Channel topic: {topic}"
DATABASE_TIMEOUTS = '{:error, "Too many database timeouts"}'
TOO_MANY_ENTRIES = "Too many postgres_changes entries. Maximum {limit}"
FILTERS_TOO_COSTLY = (
    "The filters of this channel take too long to compare with every change, please use eq, in or"
    " fewer of them"
)
POLICY_RAISED = (
    "A row-level security policy failed, a change of {table} was withheld. Exception: {error}"
)
MESSAGES_LOST = "Messages were lost on the way between servers, please reload"
STORED_MESSAGES_LOST = "Messages were lost on the way from the database, please reload"
CHANGES_SKIPPED = "Changes were lost on the way from the database, please reload"

# Why a socket is closed
SLOW_READER_CLOSE = (1013, "Client reads too slowly")
IDLE_CLOSE = (1000, "")
REVOKED_CLOSE = (1000, "Session has been revoked")
FLOOD_CLOSE = 1008  # with the text that the channels were sent
JOINS_CLOSE = (1001, "")


def join_reason(problem: Problem) -> str:
    """The reason in a refused join's reply: `CODE: text`."""
    return f"{problem.code}: {problem.message}"
