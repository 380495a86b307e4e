"""OAuth and OpenID Connect providers that administrators add (auth reference 9.3)."""
