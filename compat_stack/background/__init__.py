"""The background worker: what extensions and the project leave to a program outside the database.

In import order:

- `schedule`: cron schedules: when a job is due
- `logins`: login roles of the worker and of the jobs' owners
- `ownership`: whether tables belong to a superuser or the migrating user
- `requests`: pg_net's HTTP requests, each sent at most once
- `jobs`: pg_cron's jobs, each run once for a moment
- `deliveries`: outcomes of a delivery, and when it is retried
- `push`: messages of the Push API, encrypted and signed
- `mail`: mails of the queue
- `queue`: the message queue of schema `recados`, and the functions that are due in it
- `objects`: the files of a project's buckets, uploaded
- `listening`: the worker's loop around one LISTEN connection
"""
