"""The service's metrics, and its endpoints for operators and health checks."""
