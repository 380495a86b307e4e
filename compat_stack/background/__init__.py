"""What the database's extensions leave to a program: requests to send, jobs to run.

In import order:

- `schedule`: when a job is due, by its schedule
- `ownership`: whose the tables are that the worker reads and writes
- `requests`: the requests of pg_net, each sent at most once
- `jobs`: the jobs of pg_cron, each run once for a moment
- `listening`: one connection that listens for both, asleep where there is neither
"""
