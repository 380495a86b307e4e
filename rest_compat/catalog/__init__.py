"""What the service knows of the database: the schema cache.

model          tables, columns, relationships, routines, media handlers
view_origins   which table column each column of a view comes from
view_keys      the keys that views show
relationships  how relations are joined
assemble       catalog rows → SchemaCache (pure)
dump           the schema cache as the JSON that the original shows
load           the queries in one transaction (I/O)
"""
