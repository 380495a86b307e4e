"""Observability of the running stack.

In import order:

- `clock`: the time that all nodes of one database agree on
- `request_id`: the id of each request
- `access_log`: one JSON line a request
- `metrics`: metrics for Prometheus
- `fleet_metrics`: the metrics of all workers merged
- `reporter`: the middleware that adds ids, counts and logs
- `probes`: `/livez`, `/readyz`, `/metrics`
- `monitoring`: all of these, for the services that are open
"""
