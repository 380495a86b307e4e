"""The one door to the database.

- `faults`: what PostgreSQL refuses as the error that answers it
- `executor`: a transaction, the script's statements, the verdict obeyed (I/O)
"""

from rest_compat.execute.executor import Executor, inspection_texts

__all__ = ["Executor", "inspection_texts"]
