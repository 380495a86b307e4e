-- wrappers by name only, so that migrations that create it go on: servers of its wrappers cannot be created.

