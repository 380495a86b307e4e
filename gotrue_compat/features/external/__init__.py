"""Sign-in by identity providers: out, back, accounts, id tokens (auth reference 9.1 to 9.5)."""
