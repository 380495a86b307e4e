"""PostgreSQL: drivers, pools, pipelines, faults as values, migrations.

In import order:

- `queries`: named statements out of `.sql` files
- `faults`: server errors as values
- `arguments`: the size of statements' arguments, and no NUL among them
- `conninfo`: connection strings and connection failures, by libpq
- `tcp_limits`: how long TCP waits for a server that is gone without a word
- `pool`: a connection pool for any driver
- `asyncpg_connect`: connections by asyncpg, also through a pooler
- `database`: pools and transactions over asyncpg
- `prepared_names`: the prepared statements of a session
- `results`: results of pipelined statements, decoded by psycopg
- `pipeline`: several statements in one round trip, by psycopg
- `session_pool`: a pool of such sessions
- `replication`: a temporary slot and its stream, by psycopg
- `sqlfiles`: the folder of the migrations
- `statements`: a script split into its statements, as the Supabase CLI splits it
- `psql_input`: psql's own lines and COPY data in scripts
- `migration_files`: the migrations of a folder, and their text
- `scripts`: a file of SQL in a transaction, with the line that failed
- `migrations`: numbered SQL files applied once and in order
- `service_migrations`: those of a service that runs alone
"""
