"""Sign-up by e-mail, phone or nothing at all (auth reference 3.1)."""
