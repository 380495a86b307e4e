"""What the database leaves to a program: requests and messages to send, jobs to run.

In import order:

- `schedule`: when a job is due, by its schedule
- `logins`: as whom the worker logs in, and the owners of jobs
- `ownership`: whose the tables are that the worker reads and writes
- `requests`: the requests of pg_net, each sent at most once
- `jobs`: the jobs of pg_cron, each run once for a moment
- `deliveries`: what comes of a message that was sent
- `push`: the messages of the Push API, encrypted and signed
- `mail`: the mails of the queue
- `queue`: the messages of schema `recados`, and the functions that are due in it
- `objects`: the files of a project's buckets, uploaded
- `listening`: one connection that listens for all, asleep where there is nothing
"""
