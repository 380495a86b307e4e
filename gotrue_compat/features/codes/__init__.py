"""One-time codes and links: sending, resending and verifying (auth reference 3.6 to 3.8, 4)."""
