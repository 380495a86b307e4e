"""The installation's keys.

In import order:

- `comparison`: secrets compared in constant time
- `derived`: keys derived from JWT_SECRET, the same on every node
- `retired`: replaced keys that are still valid for a while
- `s3`: the access key of S3 clients
- `vapid`: the VAPID key of push messages
- `third_party`: kept public keys of another issuer
- `third_party_fetch`: those keys fetched from the issuer's JWKS
- `third_party_keys`: those keys refreshed while the stack serves
- `installation`: made once and kept in the data folder
- `rotation`: new keys in place of the old
"""
