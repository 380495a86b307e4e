"""The only access to the database.

In import order:

- `faults`: PostgreSQL's errors mapped to HTTP
- `executor`: a transaction, the script's statements, commit or rollback by the verdict (I/O)
"""

from rest_compat.execute.executor import Executor, inspection_texts

__all__ = ["Executor", "inspection_texts"]
