"""Several questions as one thing, a form.

`form` has the questions, the report of one person, and the form in TOML or JSON; `strategies` compares the ways to ask;
`tally` has the answers of many people at once and the counts of their reports, `writing` and `reading` files of them,
and `margins` the shares of every question.
"""
