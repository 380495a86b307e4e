-- A couple is a pair of people and has one id for ever: who parts and pairs again finds the calendar
-- of the two as it was. Until now parting deleted the couple, and every pairing drew a fresh id.

alter table public.parejas
  add column persona_a uuid,
  add column persona_b uuid,
  add column terminada_en timestamptz;

-- Who carries a couple alone has nobody to share with.
update public.profiles set pareja_id = null
where pareja_id in (select c.id from public.parejas c where c.personas <> 2);
delete from public.parejas where personas <> 2;

update public.parejas c set persona_a = dos.ids[1], persona_b = dos.ids[2]
from (
  select p.pareja_id, array_agg(p.id order by p.id) as ids
  from public.profiles p
  where p.pareja_id is not null
  group by p.pareja_id
) as dos
where dos.pareja_id = c.id;

-- The ids that parting left behind, and the pair each belongs to. Two people in its activities are
-- that pair. One person alone is of a pair only where nothing else is possible: the invitations that
-- were used name one other person, the id was used after the first of them, and the pair has no more
-- ids than invitations (a partner whose account is gone left none). Any other stays its creator's:
-- a plan that nobody shows is not lost, one that is shown to the wrong person is.
create temporary table antiguas on commit drop as
with ids as (
  select a.pareja_id as id, array_agg(distinct q.persona order by q.persona) as personas,
    max(a.creado_en) as ultima
  from public.actividades a
  cross join lateral (values (a.creador_id), (a.aceptado_por)) as q (persona)
  where q.persona is not null
    and not exists (select from public.parejas c where c.id = a.pareja_id)
    and not exists (select from auth.users u where u.id = a.pareja_id)
  group by a.pareja_id
),
usadas as (
  select q.persona, q.otra, i.caduca_en - interval '7 days' as desde
  from public.invitaciones i
  cross join lateral (
    values (i.creador_id, i.usada_por), (i.usada_por, i.creador_id)
  ) as q (persona, otra)
  where i.usada_por is not null
),
unica as (
  select u.persona, (array_agg(u.otra))[1] as otra, count(*) as veces, min(u.desde) as desde
  from usadas u
  group by u.persona
  having count(distinct u.otra) = 1
),
pares as (
  select i.id, i.personas[1] as persona_a, i.personas[2] as persona_b, i.ultima,
    null::bigint as veces
  from ids i
  where cardinality(i.personas) = 2
  union all
  select i.id, least(u.persona, u.otra), greatest(u.persona, u.otra), i.ultima, u.veces
  from ids i
  join unica u on i.personas = array[u.persona] and i.ultima >= u.desde
),
contados as (
  select p.*, count(*) over (partition by p.persona_a, p.persona_b) + (
    select count(*) from public.parejas c
    where c.persona_a = p.persona_a and c.persona_b = p.persona_b
  ) as cuantos
  from pares p
)
select id, persona_a, persona_b, ultima from contados where veces is null or cuantos <= veces;

-- Several ids of a pair become one: the living couple's, else the one used last.
insert into public.parejas (id, persona_a, persona_b, terminada_en)
select distinct on (o.persona_a, o.persona_b) o.id, o.persona_a, o.persona_b, now()
from antiguas o
where not exists (
  select from public.parejas c where c.persona_a = o.persona_a and c.persona_b = o.persona_b
)
order by o.persona_a, o.persona_b, o.ultima desc, o.id;

update public.actividades a set pareja_id = c.id
from antiguas o
join public.parejas c on c.persona_a = o.persona_a and c.persona_b = o.persona_b
where a.pareja_id = o.id and c.id <> o.id;

alter table public.parejas
  alter column persona_a set not null,
  alter column persona_b set not null,
  add constraint parejas_personas_key unique (persona_a, persona_b),
  add constraint parejas_orden_check check (persona_a < persona_b),
  add constraint parejas_terminada_en_check check (terminada_en is null or personas = 0),
  add constraint parejas_persona_a_fkey foreign key (persona_a)
    references auth.users (id) on delete cascade,
  add constraint parejas_persona_b_fkey foreign key (persona_b)
    references auth.users (id) on delete cascade;

create index parejas_persona_b_idx on public.parejas (persona_b);

comment on table public.parejas is
  'Couples: two people, together or parted. Reached through functions only.';
comment on column public.parejas.persona_a is 'The one of the two with the lesser id.';
comment on column public.parejas.terminada_en is 'When they parted; null while together.';

-- A profile carries only a couple that names it.
create function planes.comprobar_pareja()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if not exists (
    select from public.parejas c
    where c.id = new.pareja_id and new.id in (c.persona_a, c.persona_b)
  ) then
    raise check_violation using
      message = 'the couple does not name this person', table = 'profiles', schema = 'public',
      constraint = 'profiles_pareja_id_check';
  end if;
  return new;
end
$$;

create trigger profiles_comprobar_pareja
  before insert or update of pareja_id on public.profiles
  for each row when (new.pareja_id is not null)
  execute function planes.comprobar_pareja();

revoke execute on function planes.comprobar_pareja() from public;
