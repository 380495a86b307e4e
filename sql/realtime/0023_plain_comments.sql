-- What tools show of functions and tables, in plain words.

comment on function realtime.await_commits(bigint[]) is
  'Returns once the rows that these committed transactions wrote are visible.';
comment on function realtime.commits_visible(bigint[]) is
  'Whether the rows that these committed transactions wrote are visible.';
comment on function realtime.subscribe(uuid, jsonb, jsonb) is
  'Writes a channel''s entries, all or none. Returns the log''s position, or the number (from 1) of the entry '
  'that was refused and why.';
comment on function realtime.topic() is
  'The name of the channel that a policy on realtime.messages is evaluated for.';
comment on table realtime.messages is
  'Broadcasts from the database, kept for 72 hours. Its policies decide who may read (select) and write '
  '(insert) a private channel, whose name is realtime.topic().';
comment on table realtime.subscription is 'The changes that connected clients subscribed to.';
comment on table realtime.guarded_tables is
  'Tables whose deletes are sent only to those who could see the row; see realtime.guard_deletes.';
comment on function realtime.guard_deletes(regclass) is
  'From now on deletes of this table are sent only to those who could see the row.';
