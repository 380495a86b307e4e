"""What the command line does besides serving: migrate, users, settings read again while it runs."""
