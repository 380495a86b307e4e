"""The service as a process (rest reference 16).

In import order:

- `config_file`: the configuration file
- `admin`: the admin server: health, metrics, the schema cache
- `alone`: sockets and signals
- `cli`: the command line
"""
