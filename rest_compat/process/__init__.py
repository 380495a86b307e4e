"""The service as a process: command line, configuration file, admin server (rest reference 16)."""
