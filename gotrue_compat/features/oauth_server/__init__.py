"""An OAuth 2.1 server: clients, consent, tokens (auth reference 11)."""
