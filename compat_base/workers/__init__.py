"""Several processes that serve one address, under a supervisor that forks and waits.

In import order:

- `cpus`: how many processors this process may use: its affinity, its cgroup's quota
- `supervision`: what the supervisor does next, pure
- `shared_times`: when something last happened to a key, in memory that all of them share
- `scoreboard`: which workers are ready, in memory that all of them read
- `leadership`: which process leads and which is its standby: locks that end with a process
- `child`: a forked process: its signals, its reports to the supervisor, its end
- `supervisor`: forks, waits, and handles signals; without event loop or thread
- `alone`: a service alone by several workers
"""
