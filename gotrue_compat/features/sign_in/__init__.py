"""Password, refresh and PKCE grants, and signing out (auth reference 3.2, 3.3, 3.5, 4.5)."""
