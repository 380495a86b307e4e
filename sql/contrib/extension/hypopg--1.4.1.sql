-- hypopg by name only, so that migrations that create it go on: there are none.

