-- Supabase's PostgreSQL has ICU, whose collations projects name in indexes, views and functions. A
-- server without it (its wheel is built so) has these names, which compare by code point. They are of
-- the system's schema, as ICU's are: dumps and functions without a search path name them there.
do $collations$
declare
  wanted text;
begin
  if current_setting('server_version_num')::integer < 170000 or exists (
    select from pg_catalog.pg_collation
    where collname = 'und-x-icu' and collnamespace = 'pg_catalog'::regnamespace
  ) then
    return;
  end if;
  foreach wanted in array string_to_array(
    'und af am ar ar-AE ar-EG ar-SA as az be bg bn bn-BD bn-IN bs ca cs cs-CZ cy da da-DK de de-AT'
    ' de-CH de-DE el el-GR en en-AU en-CA en-GB en-IE en-IN en-NZ en-US en-ZA eo es es-419 es-AR'
    ' es-CL es-CO es-ES es-MX es-PE es-US et eu fa fi fi-FI fil fo fr fr-BE fr-CA fr-CH fr-FR fy ga'
    ' gl gu ha he he-IL hi hi-IN hr hr-HR hu hu-HU hy id id-ID ig is it it-CH it-IT ja ja-JP ka kk'
    ' km kn ko ko-KR ky lb lo lt lv mk ml mn mr ms mt my nb nb-NO ne nl nl-BE nl-NL nn no or pa pl'
    ' pl-PL ps pt pt-BR pt-PT ro ro-RO ru ru-RU sd si sk sk-SK sl so sq sr sv sv-FI sv-SE sw ta te'
    ' th th-TH tk tr tr-TR ug uk uk-UA ur uz vi vi-VN wo xh yo zh zh-Hans zh-Hans-CN zh-Hant'
    ' zh-Hant-TW zu', ' '
  ) loop
    execute format(
      'create collation pg_catalog.%I (provider = builtin, locale = ''C.UTF-8'')',
      wanted || '-x-icu'
    );
  end loop;
  -- Its operating system's
  foreach wanted in array array['en_US', 'en_US.utf8'] loop
    execute format(
      'create collation if not exists pg_catalog.%I (provider = builtin, locale = ''C.UTF-8'')',
      wanted
    );
  end loop;
exception
  when insufficient_privilege then
    raise notice 'collations of ICU were not made: %', sqlerrm;
end
$collations$;
