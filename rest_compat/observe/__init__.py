"""Logs and metrics of requests (rest reference 10, 16.11).

- `access_log`, `log_format`: the facts of a request, and the original's log lines
- `debounce`: a failure that comes in bursts, reported once in a while
- `server_timing`: how long each stage took
- `reporter`: answers, failures, statements, old names
"""
