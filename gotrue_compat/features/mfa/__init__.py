"""Second factors: enrolment, challenges, proofs (auth reference 8).

In import order:

- `errors`: rows of errors
- `bodies`: bodies and queries as records
- `enroll`: factors added and removed
- `challenge`: challenges of TOTP, phone and WebAuthn
- `verify`: a challenge answered: the session reaches aal2
- `routes`: the table of routes
"""
