"""Where the bytes are: a folder, or a store behind a URL.

In import order:

- `port`: what the service needs of either, and its errors
- `pieces`: streams of bytes cut into even pieces
- `local`: a folder: temporary file, fsync, rename, fsync of the folder
- `remote`: stores behind a URL, by obstore; loaded where one is set
- `opened`: settings to a store
- `image_worker`: a process that renders images
- `images`: such processes, and results that are kept
- `collector`: bytes that no row names are removed
"""
