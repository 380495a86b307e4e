"""Changes of tables as values: what the stream says, what clients asked for, what they get.

Pure: no input or output, and nothing of the socket protocol. In import order:

- `model`: types, tables, relations and changes
- `decode`: pgoutput bytes to transactions
- `values`: PostgreSQL text to JSON text, by type
- `filters`: the `col=op.value` grammar
- `readers`: text of PostgreSQL read for comparing
- `like`: patterns of LIKE
- `conditions`: a filter condition against a value: true, false, or for PostgreSQL to evaluate
- `entries`: one requested entry of a join, and its error texts
- `audience`: the recipients of a change, by caller and channel
- `column_index`: subscriptions found by the value of one column
- `row_work`: what testing one row may cost, and who is cut off
- `index`: the subscriptions to one table, found by the values of a row
- `subscribers`: who asked for which table
- `payload`: the wire shape of a change
"""
