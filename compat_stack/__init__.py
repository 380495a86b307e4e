"""Composition above the three services, and the command line."""
