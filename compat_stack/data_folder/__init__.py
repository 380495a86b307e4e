"""The installation's folder, its owner's alone.

In import order:

- `private`: folders and files that nobody else may read
- `folder`: the folder itself, made or narrowed
- `replacing`: several files replaced as one
- `restore_mark`: a folder into which a backup is being restored
- `running`: the PID file of `serve`, `server.json`
"""
