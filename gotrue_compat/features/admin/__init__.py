"""Users, factors, links, invitations and the audit log for administrators (auth reference 7)."""
