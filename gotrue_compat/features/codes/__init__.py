"""One-time codes and links: sending, resending and verifying (auth reference 3.6 to 3.8, 4).

In import order:

- `errors`: rows of errors
- `bodies`: bodies and queries as records
- `reauthenticate`: the nonce that a change of password asks for
- `otp`: one-time passwords and magic links
- `recover`: password recovery
- `resend`: a code sent again
- `lookup`: the user that a token or code belongs to
- `confirmation`: what each kind of token confirms
- `verify`: a token exchanged for a session, by POST or by a link
- `routes`: the table of routes
"""
