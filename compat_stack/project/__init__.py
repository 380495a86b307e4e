"""An existing Supabase project: its folder `supabase/` read into one frozen value.

In import order:

- `toml_document`: TOML with the line of each key
- `dotenv`: `.env` files as the CLI reads them
- `kinds`: values of config.toml as texts of variables
- `third_party`: `[auth.third_party.*]` as an issuer's address
- `keys`: the options of config.toml, one row a key
- `key_lookup`: a key's option and variable, the table that switches it on
- `config_values`: the values of a config.toml that apply, with what is wrong or not served
- `config`: what they mean: variables, buckets, seeds
- `folder`: the folder itself: configuration, migrations, seeds, roles
"""
