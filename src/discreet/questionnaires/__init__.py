"""Several questions as one thing, a form.

`form` has the questions and the report of one person, `spec` the form in TOML or JSON, `strategies` the ways to ask
compared, `columns` the answers of many people at once, `writing` and `reading` files of their reports, `tally` the
counts, and `margins` the shares of every question.
"""
