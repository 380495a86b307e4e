"""An existing Supabase project: its folder `supabase/` read into one frozen value.

In import order:

- `toml_document`: TOML with the line of each key
- `dotenv`: files of `NAME=value` lines as the CLI reads them
- `kinds`: what a value of config.toml means as the text of a variable
- `third_party`: whose tokens count besides: an issuer's address
- `keys`: the table of config.toml's keys, one row a key
- `key_lookup`: the row of a key, the table around it that has a switch
- `config_values`: the values of a config.toml that apply, with what is wrong or not served
- `config`: what they mean: variables, buckets, seeds
- `folder`: the folder itself: configuration, migrations, seeds, roles
"""
