"""HTTP's own grammars.

- `media_types`: Accept and Content-Type
- `ranges`: windows of rows by Range and Content-Range
"""
