"""What mails and messages say: pure, from facts to text (auth reference 13).

- `gofunctions`: the functions of Go's templates
- `gopage`: what they write, escaped as Go's html/template does
- `gosyntax`: the part of Go's template syntax that mail templates use, as a tree
- `gotemplate`: such a tree filled with data
- `wording`: built-in subjects and bodies in English and Spanish
- `compose`: facts and a template to a Mail
"""
