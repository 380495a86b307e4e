"""HTTP in and out: the composed tables, results to answers; no SQL, no decisions.

- `routes`: every feature's routes, found by method and path
- `translations`: Spanish texts of the errors
- `error_answers`: problems to answers, in both versions of the error body
- `answers`: results to answers
- `cors`: answers to browsers of other origins
- `service`: serving a request
"""
