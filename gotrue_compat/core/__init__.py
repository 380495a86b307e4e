"""What features share: parts of use cases over the store.

In import order:

- `results`: results of flows
- `unit_of_work`: a request inside its transaction
- `rate_limits`: events taken from buckets, or 429
- `passwords`: password rules, encryption at rest
- `audit`: audit entries
- `hooks`: hooks with their payloads
- `code_tries`: tries of one-time codes, counted
- `mail`: mails by hook or template, and their limits
- `one_time_tokens`: one-time tokens stored and sent; text messages
- `accounts`: users, their identities and confirmations
- `access_tokens`: verification of bearer tokens
- `authentication`: the principal of a request
- `session_tokens`: sessions and their tokens
- `cleanup`: the periodic clean-up
"""
