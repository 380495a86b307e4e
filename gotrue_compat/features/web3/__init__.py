"""Sign-in by wallets: signed messages of Ethereum and Solana (auth reference 9.6).

In import order:

- `errors`: rows of errors
- `bodies`: bodies as records
- `message`: the message of EIP-4361 and its Solana form, parsed
- `signatures`: signatures verified; the message's times and domain
- `flow`: the web3 grant
- `routes`: the table of routes
"""
