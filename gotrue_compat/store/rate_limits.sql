-- name: take
-- One event of a bucket ($1), which regains one every $2 and holds $3; no row where it is empty.
-- A bucket can be below empty only if the clock was set back since; it then starts again.
insert into rate_limits as b (key, full_at) values ($1, clock_timestamp() + $2::interval)
on conflict (key) do update set full_at = clock_timestamp() + $2::interval + case
  when b.full_at between clock_timestamp() and clock_timestamp() + $3::interval + interval '1 minute'
  then b.full_at - clock_timestamp() else interval '0' end
where b.full_at + $2::interval <= clock_timestamp() + $3::interval
  or b.full_at > clock_timestamp() + $3::interval + interval '1 minute'
returning true;

-- name: wait
select extract(epoch from full_at + $2::interval - $3::interval - clock_timestamp())::float8 as seconds
from rate_limits where key = $1;

-- name: give_back
update rate_limits set full_at = full_at - $2::interval where key = $1;

-- name: sweep
with gone as (delete from rate_limits where key in (
  select key from rate_limits where full_at <= clock_timestamp() limit $1 for update skip locked) returning 1)
select count(*)::int as rows from gone;
