"""What features share, in import order: parts of use cases over the store.

- `results`: what flows return
- `unit_of_work`: a request inside its transaction
- `rate_limits`: events taken from buckets, or 429
- `passwords`: password rules, encryption at rest
- `audit`: audit entries
- `hooks`: hooks with their payloads
- `code_tries`: how often a one-time code was tried
- `mail`: who may get a mail, how many go out, hook or template
- `one_time_tokens`: one-time tokens that are stored and sent; text messages
- `accounts`: users, their identities and confirmations
- `access_tokens`: verification of bearer tokens
- `authentication`: the principal of a request
- `session_tokens`: sessions and their tokens
- `cleanup`: the periodic clean-up
"""
