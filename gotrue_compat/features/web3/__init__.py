"""Wallets sign in by signed messages (auth reference 9.6)."""
