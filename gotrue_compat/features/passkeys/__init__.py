"""Passkeys: registered by users, used to sign in without a name (auth reference 8)."""
