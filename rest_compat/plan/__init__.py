"""From what was said to what it means: requests resolved against the schema cache.

read_tree  a read as a tree of levels
statements writes and calls
model      plans: self-sufficient, so that nobody below looks at requests, cache or settings
lookup     find a table, relationship or routine, or a problem with its hint already worded
fields     names → fields with types and conversions
passes/    the read plan's refinements in order, one file each
read       the ordered list of passes
mutate     insert, update, upsert, delete
call       choice of routine, and its arguments
negotiate  who makes the body, and its media type
make       ApiRequest → Plan
"""
