-- name: search
select * from storage.search($1, $2, $3, 1, $4, $5, $6, $7);

-- name: level
select * from storage_compat.list_level($1, $2, $3, $4, $5, $6);

-- name: level_by_time
select * from storage.search_v2($1, $2, $3, 1, $4, $5, $6, $7);
