"""Single sign-on by SAML 2.0 (auth reference 9.7)."""
