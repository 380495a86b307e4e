"""Health, public settings, key set, OpenID discovery (auth reference 3.9)."""
