"""Users, factors, links, invitations and the audit log for administrators (auth reference 7).

In import order:

- `errors`: rows of errors
- `bodies`: bodies and queries as records
- `bans`: durations of bans
- `audit`: the audit log as a list
- `user_list`: users as a list, by pages or by a cursor
- `users`: users made, changed, deleted
- `invite`: invitations
- `links`: `generate_link`
- `factors`: second factors of a user
- `routes`: the table of routes
"""
