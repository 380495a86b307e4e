"""Changes of tables as values: what the stream says, what clients asked for, what they get.

Pure: no input or output, and nothing of the socket protocol. In import order:

- `model`: types, tables, relations and changes
- `decode`: pgoutput bytes to transactions
- `values`: PostgreSQL text to JSON text, by type
- `filters`: the `col=op.value` grammar
- `conditions`: a filter against a value: true, false, or PostgreSQL's to say
- `entries`: one requested entry of a join, and its error texts
- `audience`: who hears of a change, by caller and channel
- `index`: the subscriptions to one table, found by the values of a row
- `subscribers`: who asked for which table
- `payload`: the wire shape of a change
"""
