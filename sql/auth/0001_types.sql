-- The enumerations of the auth schema, as GoTrue 2.196 leaves them after its 70 migrations.
-- Every file of this set may meet a schema that the original made: it adds what is missing and
-- changes nothing that is there.

set local client_min_messages = warning;  -- not a line for every label that is there already

do $types$
declare
  wanted record;
begin
  for wanted in
    select *
    from (values
      ('aal_level', array['aal1', 'aal2', 'aal3']),
      ('code_challenge_method', array['s256', 'plain']),
      ('factor_status', array['unverified', 'verified']),
      ('factor_type', array['totp', 'webauthn', 'phone']),
      ('oauth_authorization_status', array['pending', 'approved', 'denied', 'expired']),
      ('oauth_client_type', array['public', 'confidential']),
      ('oauth_registration_type', array['dynamic', 'manual']),
      ('oauth_response_type', array['code']),
      ('one_time_token_type', array[
        'confirmation_token', 'reauthentication_token', 'recovery_token',
        'email_change_token_new', 'email_change_token_current', 'phone_change_token'
      ])
    ) as t (name, labels)
    where to_regtype(format('auth.%I', t.name)) is null
  loop
    execute format(
      'create type auth.%I as enum (%s)',
      wanted.name,
      (
        select string_agg(quote_literal(label), ', ' order by n)
        from unnest(wanted.labels) with ordinality as l (label, n)
      )
    );
  end loop;
end
$types$;

alter type auth.factor_type add value if not exists 'phone';
