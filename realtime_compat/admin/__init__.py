"""The service's own metrics, and the endpoints that operators ask."""
