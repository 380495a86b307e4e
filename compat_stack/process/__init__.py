"""The process of a command: its output, its shutdown, the user its programs run as.

In import order:

- `arguments`: commands, their arguments and their help
- `failures`: expected failures in whole sentences
- `loading`: modules imported beside the database's start
- `output`: what the command line says, read or not
- `shutdown`: graceful shutdown with a deadline
- `unprivileged`: how root runs programs that refuse root
"""
