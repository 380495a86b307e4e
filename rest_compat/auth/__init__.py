"""Bearer tokens to roles and claims (rest reference 11).

- `json_path/`: paths into JSON: reading, finding, writing
- `role_claim`: where a token's role stands
- `authenticate`: token → role and claims, with the cache of verified tokens
"""
