"""Queries of the database: authorization of topics, visibility of rows, the catalog.

In import order:

- `catalog`: tables, types, column privileges, publications
- `table_patterns`: the published tables that the entries of a join name
- `rows`: visibility of changed rows, filters that need PostgreSQL's own comparison
- `topics`: read and write access to private channels, replay, upkeep of realtime.messages
- `records`: the rows of realtime.subscription, whose trigger checks a subscription
- `sessions`: which sessions still exist
- `revocation`: channels and sockets of revoked sessions closed
"""
