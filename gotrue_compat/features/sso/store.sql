-- name: list
select p.*, s.id as saml_id, s.entity_id, s.metadata_xml, s.metadata_url, s.attribute_mapping, s.name_id_format, s.updated_at as metadata_updated_at,
  array(select d.domain from sso_domains d where d.sso_provider_id = p.id order by d.domain) as domains
from sso_providers p join saml_providers s on s.sso_provider_id = p.id
where case when $1 <> '' then p.resource_id = $1 else $2 = '' or p.resource_id like $2 || '%' end order by p.created_at, p.id;

-- name: find
select p.*, s.id as saml_id, s.entity_id, s.metadata_xml, s.metadata_url, s.attribute_mapping, s.name_id_format, s.updated_at as metadata_updated_at,
  array(select d.domain from sso_domains d where d.sso_provider_id = p.id order by d.domain) as domains
from sso_providers p join saml_providers s on s.sso_provider_id = p.id where p.id = $1;

-- name: find_by_resource
select p.*, s.id as saml_id, s.entity_id, s.metadata_xml, s.metadata_url, s.attribute_mapping, s.name_id_format, s.updated_at as metadata_updated_at,
  array(select d.domain from sso_domains d where d.sso_provider_id = p.id order by d.domain) as domains
from sso_providers p join saml_providers s on s.sso_provider_id = p.id where lower(p.resource_id) = lower($1);

-- name: find_by_domain
select p.*, s.id as saml_id, s.entity_id, s.metadata_xml, s.metadata_url, s.attribute_mapping, s.name_id_format, s.updated_at as metadata_updated_at,
  array(select d.domain from sso_domains d where d.sso_provider_id = p.id order by d.domain) as domains
from sso_providers p join saml_providers s on s.sso_provider_id = p.id
where p.id = (select d.sso_provider_id from sso_domains d where lower(d.domain) = lower($1));

-- name: find_by_entity
select p.*, s.id as saml_id, s.entity_id, s.metadata_xml, s.metadata_url, s.attribute_mapping, s.name_id_format, s.updated_at as metadata_updated_at,
  array(select d.domain from sso_domains d where d.sso_provider_id = p.id order by d.domain) as domains
from sso_providers p join saml_providers s on s.sso_provider_id = p.id where s.entity_id = $1;

-- name: delete_domains
delete from sso_domains where sso_provider_id = $1;

-- name: delete
delete from sso_providers where id = $1;

-- name: take_relay
-- Deleted with the reading: a response answers a request once.
delete from saml_relay_states where id = $1 returning *;
