-- pg_hashids: Hashids of whole numbers, with the names and arguments of the original. What is no
-- hashid of the salt, length and alphabet decodes to an empty array.

-- It runs as superuser: a function of whoever creates it, in the schema that they name, is not found.
set local search_path to pg_catalog, pg_temp;

create function @extschema@._hashids_shuffled(alphabet text, salt text) returns text
language plpgsql immutable strict parallel safe
as $$
declare
  letters text[] := string_to_array(alphabet, null);
  codes int[] := array(select ascii(letter) from unnest(string_to_array(salt, null)) as letter);
  total int := 0;
  turn int := 0;
  other int;
  kept text;
begin
  if cardinality(codes) = 0 then
    return alphabet;
  end if;
  for place in reverse cardinality(letters) - 1 .. 1 loop
    total := total + codes[turn + 1];
    other := (codes[turn + 1] + turn + total) % place;
    kept := letters[place + 1];
    letters[place + 1] := letters[other + 1];
    letters[other + 1] := kept;
    turn := (turn + 1) % cardinality(codes);
  end loop;
  return array_to_string(letters, '');
end
$$;

create function @extschema@._hashids_parts(
  salt text, given text, out alphabet text, out separators text, out guards text
)
language plpgsql immutable strict parallel safe
as $$
declare
  wanted int;
begin
  select string_agg(letter, '' order by place) into alphabet
  from (
    select letter, min(place) as place
    from unnest(string_to_array(given, null)) with ordinality as l (letter, place)
    group by letter
  ) as once;
  if coalesce(length(alphabet), 0) < 16 then
    raise 'pg_hashids: the alphabet must have at least 16 different characters'
      using errcode = 'invalid_parameter_value';
  end if;
  if strpos(alphabet, ' ') > 0 then
    raise 'pg_hashids: the alphabet may not have spaces'
      using errcode = 'invalid_parameter_value';
  end if;
  separators := 'cfhistuCFHISTU';
  separators := translate(separators, translate(separators, alphabet, ''), '');
  alphabet := translate(alphabet, separators, '');
  separators := @extschema@._hashids_shuffled(separators, salt);
  if separators = '' or length(alphabet) > 3.5 * length(separators) then
    wanted := greatest(ceil(length(alphabet) / 3.5)::int, 2);
    if wanted > length(separators) then
      wanted := wanted - length(separators);
      separators := separators || left(alphabet, wanted);
      alphabet := substr(alphabet, wanted + 1);
    else
      separators := left(separators, wanted);
    end if;
  end if;
  alphabet := @extschema@._hashids_shuffled(alphabet, salt);
  wanted := ceil(length(alphabet) / 12.0)::int;
  if length(alphabet) < 3 then
    guards := left(separators, wanted);
    separators := substr(separators, wanted + 1);
  else
    guards := left(alphabet, wanted);
    alphabet := substr(alphabet, wanted + 1);
  end if;
end
$$;

create function @extschema@.id_encode(
  numbers bigint[], salt text, min_length int, alphabet text
) returns text
language plpgsql immutable strict parallel safe
as $$
declare
  parts record := @extschema@._hashids_parts(salt, alphabet);
  letters text;
  lottery text;
  result text;
  rest bigint;
  word text;
  total bigint;
  half int;
begin
  if cardinality(numbers) = 0 or 0 > any (numbers) then
    raise 'pg_hashids: numbers must be given, and be 0 or more'
      using errcode = 'invalid_parameter_value';
  end if;
  letters := parts.alphabet;
  select sum(number % (place + 99)) into total
  from unnest(numbers) with ordinality as n (number, place);
  lottery := substr(letters, (total % length(letters))::int + 1, 1);
  result := lottery;
  for place in 1 .. cardinality(numbers) loop
    letters := @extschema@._hashids_shuffled(
      letters, left(lottery || salt || letters, length(letters))
    );
    rest := numbers[place];
    word := '';
    loop
      word := substr(letters, (rest % length(letters))::int + 1, 1) || word;
      rest := rest / length(letters);
      exit when rest = 0;
    end loop;
    result := result || word;
    if place < cardinality(numbers) then
      rest := numbers[place] % (ascii(word) + place - 1);
      result := result || substr(parts.separators, (rest % length(parts.separators))::int + 1, 1);
    end if;
  end loop;
  if length(result) < min_length then
    rest := (total + ascii(result)) % length(parts.guards);
    result := substr(parts.guards, rest::int + 1, 1) || result;
  end if;
  if length(result) < min_length then
    rest := (total + ascii(substr(result, 3))) % length(parts.guards);
    result := result || substr(parts.guards, rest::int + 1, 1);
  end if;
  half := length(letters) / 2;
  while length(result) < min_length loop
    letters := @extschema@._hashids_shuffled(letters, letters);
    result := substr(letters, half + 1) || result || left(letters, half);
    if length(result) > min_length then
      result := substr(result, (length(result) - min_length) / 2 + 1, min_length);
    end if;
  end loop;
  return result;
end
$$;

create function @extschema@.id_decode(
  hash text, salt text, min_length int, alphabet text
) returns bigint[]
language plpgsql immutable strict parallel safe
as $$
declare
  parts record := @extschema@._hashids_parts(salt, alphabet);
  letters text := parts.alphabet;
  pieces text[] := string_to_array(
    translate(hash, parts.guards, repeat(' ', length(parts.guards))), ' '
  );
  body text := pieces[case when cardinality(pieces) in (2, 3) then 2 else 1 end];
  lottery text := left(body, 1);
  numbers bigint[] := '{}';
  word text;
  number numeric;
begin
  if coalesce(body, '') = '' then
    return '{}';
  end if;
  foreach word in array string_to_array(
    translate(substr(body, 2), parts.separators, repeat(' ', length(parts.separators))), ' '
  ) loop
    letters := @extschema@._hashids_shuffled(
      letters, left(lottery || salt || letters, length(letters))
    );
    number := 0;
    for place in 1 .. length(word) loop
      if strpos(letters, substr(word, place, 1)) = 0 then
        return '{}';
      end if;
      number := number * length(letters) + strpos(letters, substr(word, place, 1)) - 1;
      if number > 9223372036854775807 then
        return '{}';
      end if;
    end loop;
    numbers := numbers || number::bigint;
  end loop;
  if @extschema@.id_encode(numbers, salt, min_length, alphabet) <> hash then
    return '{}';
  end if;
  return numbers;
end
$$;

create function @extschema@.id_decode_once(
  hash text, salt text, min_length int, alphabet text
) returns bigint
language sql immutable strict parallel safe
as $$ select (@extschema@.id_decode(hash, salt, min_length, alphabet))[1] $$;

-- The same with fewer arguments, and by the earlier names.
do $overloads$
declare
  letters constant text := 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ1234567890';
  names constant text[] := '{salt,min_length,alphabet}';
  types constant text[] := '{text,int,text}';
  rest constant text[] := array['''''', '0', quote_literal(letters)];
  one record;
  given text;
  passed text;
begin
  for one in
    select * from (values
      ('id_encode', 'id_encode', 'number bigint', 'array[number]', 'text', 0, 3),
      ('id_encode', 'id_encode', 'numbers bigint[]', 'numbers', 'text', 0, 2),
      ('id_decode', 'id_decode', 'hash text', 'hash', 'bigint[]', 0, 2),
      ('id_decode_once', 'id_decode_once', 'hash text', 'hash', 'bigint', 0, 2),
      ('hash_encode', 'id_encode', 'number bigint', 'array[number]', 'text', 0, 2),
      ('hash_decode', 'id_decode_once', 'hash text', 'hash', 'bigint', 2, 2)
    ) as f (name, called, argument, first, result, least, most)
  loop
    for count in one.least .. one.most loop
      select string_agg(names[n] || ' ' || types[n], ', ' order by n) into given
      from generate_series(1, count) as n;
      select string_agg(case when n <= count then names[n] else rest[n] end, ', ' order by n)
      into passed from generate_series(1, 3) as n;
      execute format(
        'create function @extschema@.%I(%s) returns %s language sql immutable strict parallel safe'
        ' as $f$ select @extschema@.%I(%s, %s) $f$',
        one.name, concat_ws(', ', one.argument, given), one.result, one.called, one.first, passed
      );
    end loop;
  end loop;
end
$overloads$;
