"""The process of a command: arguments, output, programs without root's rights.

In import order:

- `arguments`: commands, their arguments and their help
- `failures`: expected failures in whole sentences
- `loading`: modules imported beside the database's start
- `output`: lines printed for people
- `unprivileged`: programs that refuse root, run by root
"""
