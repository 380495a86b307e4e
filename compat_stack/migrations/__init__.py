"""The database brought to what the services and the project need.

In import order:

- `secret_record`: which JWT_SECRET a database goes with
- `extensions`: what migrations say of extensions, as this server can take it
- `project`: whom the project's migrations run as, and the extensions that they meet
- `project_data`: a project's roles, privileges, seeds and buckets
- `apply`: the services' own sets, then the project's; the login roles' passwords
"""
