"""Bearer tokens to roles and claims (rest reference 11).

In import order:

- `json_path/`: JSONPath: parsed, evaluated, written
- `claims_json`: claims read and written as the original's JSON library does
- `role_claim`: the path to the role in a token's claims
- `authenticate`: token → role and claims, with the cache of verified tokens
"""
