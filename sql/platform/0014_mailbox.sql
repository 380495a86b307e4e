-- Mail that no SMTP server takes, where nodes share the database: each shows it at /mailbox.

create table if not exists compat.mails (
  name text not null constraint mails_pkey primary key,
  content bytea not null
);
comment on table compat.mails is 'The newest mails of the local mailbox; for the operator alone.';
revoke all on compat.mails from public;
grant usage on schema compat to supabase_auth_admin;
grant select, insert, delete on compat.mails to supabase_auth_admin;
