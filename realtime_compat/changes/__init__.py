"""Changes of tables as values: decoded, filtered, and rendered for clients.

Pure: no input or output, and nothing of the socket protocol. In import order:

- `model`: types, tables, relations and changes
- `decode`: pgoutput bytes to transactions
- `values`: PostgreSQL text to JSON text, by type
- `filters`: the `col=op.value` grammar
- `readers`: PostgreSQL text parsed for comparisons
- `like`: patterns of LIKE
- `conditions`: a filter condition against a value: true, false, or for PostgreSQL to evaluate
- `entries`: one requested entry of a join, and its error texts
- `audience`: the recipients of a change, by caller and channel
- `column_index`: subscriptions found by the value of one column
- `row_work`: the bound on testing one row, and the channels cut off beyond it
- `index`: the subscriptions to one table, found by the values of a row
- `subscribers`: the subscriptions by table
- `payload`: the wire format of a change
"""
