"""The installation's keys.

In import order:

- `comparison`: secrets compared in constant time
- `retired`: keys that were replaced and still count
- `vapid`: the key by which push services know this installation
- `third_party`: the keys of another issuer, whose tokens count too
- `third_party_fetch`: fetched at the start
- `installation`: made once and kept in the data folder
- `rotation`: new keys in place of the old
"""
