-- name: list
select * from webauthn_credentials where user_id = $1 order by created_at, id;

-- name: find_by_credential
select * from webauthn_credentials where credential_id = $1 for update;

-- name: find
select * from webauthn_credentials where id = $1 and user_id = $2;

-- name: delete
delete from webauthn_credentials where id = $1 and user_id = $2 returning id;

-- name: take_challenge
-- Deleted with the reading: a challenge can be answered once.
delete from webauthn_challenges
where id = $1 and challenge_type = $2 and user_id is not distinct from $3::uuid returning *;
