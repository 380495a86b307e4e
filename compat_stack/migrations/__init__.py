"""The services' migrations and the project's, applied at each start.

In import order:

- `secret_record`: which JWT_SECRET a database belongs to
- `extensions`: statements about extensions rewritten for this server
- `project`: the role that the project's migrations run as
- `project_data`: a project's roles, privileges, seeds and buckets
- `apply`: the services' own sets, then the project's; the login roles' passwords
"""
