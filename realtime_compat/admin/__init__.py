"""The service's metrics, and its endpoints for operators and health checks.

In import order:

- `metrics`: metrics for Prometheus
- `endpoints`: ping, health, metrics
"""
