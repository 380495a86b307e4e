"""The installation's folder, readable by its owner alone.

In import order:

- `private`: folders and files that nobody else may read
- `restore_mark`: the marker of a restore that is under way
- `folder`: the folder itself, made or narrowed, and locked
- `replacing`: several files replaced as one
- `running`: `server.json`, the PID file of `serve`
"""
