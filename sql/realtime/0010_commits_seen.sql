-- When can others see what a streamed transaction wrote?
--
-- A commit is in the log, and so on its way to the service, a moment before new snapshots see its
-- rows; behind a synchronous standby that moment can be long. Who asks too early whether a row is
-- visible is told no, and the change would be withheld from everybody.

-- Return when the rows of all these transactions are seen by new snapshots. The stream gives the
-- lower 32 bits of a transaction's number; it is the nearest one to those that run now.
create or replace function realtime.await_commits(xids bigint[])
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  epoch_size constant bigint := 4294967296;
  next_xid bigint;
begin
  loop
    next_xid := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
    exit when not exists (
      select
      from unnest(xids) as low (xid)
      cross join lateral (
        select next_xid - (next_xid % epoch_size) + low.xid as same_epoch
      ) as guessed
      where not pg_visible_in_snapshot(
        (case
          when same_epoch > next_xid + epoch_size / 2 then same_epoch - epoch_size
          else same_epoch
        end)::text::xid8,
        pg_current_snapshot()
      )
    );
    perform pg_sleep(0.001);
  end loop;
end
$$;

comment on function realtime.await_commits(bigint[]) is
  'Returns when what these committed transactions wrote can be seen.';

revoke execute on function realtime.await_commits(bigint[]) from public;
grant execute on function realtime.await_commits(bigint[]) to supabase_realtime_admin;
