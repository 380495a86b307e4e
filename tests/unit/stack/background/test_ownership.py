"""The condition under which tables are the worker's to read; what it does: test_database_workers."""

from compat_stack.background.ownership import owned


def test_every_table_is_asked_for():
    condition = owned(("cron", "job"), ("net", "http_request_queue"))
    for table in ("('cron', 'job')", "('net', 'http_request_queue')"):
        assert table in condition
    assert condition.count("(") == condition.count(")")
