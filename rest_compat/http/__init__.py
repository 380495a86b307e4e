"""HTTP's own grammars: media types, and windows of rows by Range and Content-Range."""
