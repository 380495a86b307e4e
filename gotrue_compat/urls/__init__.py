"""Addresses that browsers follow: pure.

- `globs`: the allow list's globs, matched against parsed addresses
- `redirects`: which return addresses are allowed
- `links`: queries and fragments of redirects, links of mails
"""
