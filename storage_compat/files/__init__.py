"""Stores of bytes: a folder, or an object store behind a URL.

In import order:

- `port`: the interface of a store, and its errors
- `pieces`: streams of bytes cut into even pieces
- `drafts`: temporary files, and those that processes left when they died
- `local`: a folder: temporary file, fsync, rename, fsync of the folder
- `remote`: S3, Google's or Azure's, by obstore; loaded where one is set
- `opened`: settings to a store
- `image_worker`: a process that renders images
- `image_processes`: such processes, and the files that cost one
- `images`: images in a size and format, queued fairly by caller, and a cache of them
- `collector`: garbage collection of bytes that no row names
"""
