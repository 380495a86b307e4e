-- name: find
select * from mfa_factors where id = $1 and user_id = $2;

-- name: lock
select * from mfa_factors where id = $1 for update;

-- name: delete
delete from mfa_factors where id = $1;

-- name: delete_unverified
delete from mfa_factors
where user_id = $1 and status = 'unverified' and factor_type = $2::factor_type and id <> $3;

-- name: delete_expired
delete from mfa_factors where user_id = $1 and status = 'unverified' and created_at < $2;

-- name: find_challenge
select * from mfa_challenges where id = $1 and factor_id = $2;

-- name: take_challenge
-- Of two verifications of one challenge only one marks it.
update mfa_challenges set verified_at = $2 where id = $1 and verified_at is null returning id;

-- name: delete_challenge
delete from mfa_challenges where id = $1;
