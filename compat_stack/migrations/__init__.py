"""The database brought to what the services and the project need.

In import order:

- `secret_record`: which JWT_SECRET a database goes with
- `apply`: the services' own sets, then the project's; the login roles' passwords
"""
