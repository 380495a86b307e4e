"""PostgreSQL: what it refuses as values, connections lent by pools, statements, migrations.

In import order:

- `queries`: named statements out of `.sql` files
- `faults`: what PostgreSQL answers when it refuses, as values
- `conninfo`: connection strings as libpq reads them, and its words for failures, by psycopg
- `pool`: connections lent one at a time, whatever their driver
- `asyncpg_connect`: connections by asyncpg, also where a pooler stands before the server
- `database`: pools and transactions over asyncpg, server errors as values
- `prepared_names`: which prepared statements a session keeps
- `results`: the result of a statement in a pipeline, read by psycopg
- `pipeline`: several statements in one round trip, by psycopg
- `session_pool`: a pool of such sessions
- `replication`: a temporary slot and its stream, by psycopg
- `psql_input`: what psql alone understands in a file: its lines, rows for COPY
- `sqlfiles`: where the migrations lie
- `statements`: a script split into its statements, as the Supabase CLI splits it
- `migration_files`: which files of a folder are migrations, and their text
- `scripts`: a file of SQL in a transaction, with the line that failed
- `migrations`: numbered SQL files applied once and in order
"""
