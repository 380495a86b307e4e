-- plpgsql_check by name only, so that migrations that create it go on: no function is checked.

