-- pg_repack by name only, so that migrations that create it go on: its program is not here.

