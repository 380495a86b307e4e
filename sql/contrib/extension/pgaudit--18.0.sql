-- pgaudit by name only, so that migrations that create it go on: nothing is logged.

