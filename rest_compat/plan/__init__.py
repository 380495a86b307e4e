"""Parsed requests resolved against the schema cache.

In import order:

- `read_tree`: a read as a tree of levels
- `statements`: writes and calls
- `similarity`: the nearest name, for hints
- `lookup`: a table, relationship or routine by name, or a problem with its hint
- `fields`: names → fields with types and conversions
- `model`: plans: complete, so that later stages need no request, cache or settings
- `passes/`: the read plan's refinements in order, one file each
- `read`: the ordered list of passes
- `mutate`: insert, update, upsert, delete
- `call`: choice of routine, and its arguments
- `negotiate`: the media type of the answer, and who makes its body
- `make`: ApiRequest → Plan
"""
