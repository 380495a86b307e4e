"""URLs that browsers follow: pure.

- `globs`: the allow list's globs, matched against parsed addresses
- `redirects`: validation of redirect addresses
- `links`: queries and fragments of redirects, links of mails
"""
