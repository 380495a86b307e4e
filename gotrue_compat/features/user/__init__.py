"""The signed-in user: reading, changing, identities (auth reference 3.4, 9.5)."""
