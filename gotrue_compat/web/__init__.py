"""HTTP in and out: requests to records, results to answers; no SQL, no decisions.

- `incoming`: a request with its query, path parameters and JSON members
- `asked`: where a request is from and is to return to
- `bodies`: incoming requests to the records that flows take
- `tokens`: bearer tokens to claims
- `views`: results to answers
- `faults`: problems to answers, in both versions of the error body
- `translations`: Spanish texts of the error table
- `cors`: answers to browsers of other origins
- `routes`: the whole surface as one table
"""
