"""The process of a command: what it says, how it ends, as whom its programs run.

In import order:

- `output`: what the command line says, read or not
- `shutdown`: the end of the process, bounded
- `unprivileged`: how root runs programs that refuse root
"""
