"""Abuse of the Realtime service: what 8,000 filters cost each join and each changed row."""

from __future__ import annotations

from bench.realtime_filters import figures as measure_filters

__all__ = ["measure_filters"]

if __name__ == "__main__":
    measure_filters()
