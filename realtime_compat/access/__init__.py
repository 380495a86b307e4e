"""What only the database can say of topics, rows and tables.

- `catalog`: tables, types, column privileges, publications
- `table_patterns`: the published tables that the entries of a join name
- `topics`: read and write of private channels, replay, upkeep of their table
- `rows`: visibility of changed rows, filters that need PostgreSQL's own comparison
- `records`: the rows of realtime.subscription, whose trigger checks a subscription
- `sessions`: which sessions are there still
- `revocation`: channels and sockets of revoked sessions are closed
"""
