"""Health, public settings, key set, discovery of OpenID and SCIM (auth reference 3.9)."""
