"""Lists of folders behind folders and files among them, against a model in Python."""

from __future__ import annotations

import random
from itertools import groupby

import pytest

from tests.harness_storage import Storage

LETTERS = ("a", "B", "c", "c1", "D/", "e/", "E/", "é")


def names(seed: int, count: int) -> list[str]:
    rng = random.Random(seed)
    made = {
        "/".join(
            "".join(rng.choice(LETTERS).strip("/") for _ in range(rng.randrange(1, 3)))
            for _ in range(rng.choice((1, 1, 2, 2, 3)))
        )
        for _ in range(count)
    }
    return sorted(made)


async def fill(storage: Storage, bucket: str, seed: int) -> list[str]:
    made = names(seed, 120)
    await storage.run(f"insert into storage.buckets (id, name) values ('{bucket}', '{bucket}')")
    values = ",".join(f"('{bucket}', '{name}')" for name in made)
    await storage.run(f"insert into storage.objects (bucket_id, name) values {values}")
    return made


def level(made: list[str], prefix: str) -> list[str]:
    """Entries of one level in byte order: keys, and folders with their slash."""
    found = set[str]()
    for name in made:
        if name.startswith(prefix):
            head, slash, _ = name[len(prefix) :].partition("/")
            found.add(prefix + head + slash)
    return sorted(found, key=str.encode)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("is_descending", [False, True])
async def test_pages_of_any_size_hold_every_file_and_folder_once(
    storage: Storage, seed: int, is_descending: bool
):
    bucket = f"runs-{seed}-{is_descending}"
    made = await fill(storage, bucket, seed)
    for prefix in ("", "c1", "D/", "nothing"):
        wanted = level(made, prefix)
        if is_descending:
            wanted.reverse()
        for size in (2, 7, 1000):
            found, behind = list[str](), ""
            while True:
                page = await storage.rows(
                    "select name, is_folder from storage_compat.list_level($1, $2, '/', $3, $4, $5)",
                    bucket, prefix, size, behind, is_descending,
                )  # fmt: skip
                found += [row["name"] for row in page]
                assert all(row["is_folder"] == row["name"].endswith("/") for row in page)
                if len(page) < size:
                    break
                behind = found[-1]
            assert found == wanted, (prefix, size)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("order", ["asc", "desc"])
async def test_offsets_and_limits_cut_one_list_without_case(
    storage: Storage, seed: int, order: str
):
    bucket = f"search-{seed}-{order}"
    made = await fill(storage, bucket, seed)
    for prefix in ("", "d/", "b/"):
        whole = await entries(storage, (prefix, bucket), 1500, 0, order)
        below = [name[len(prefix) :] for name in made if name.lower().startswith(prefix)]
        # Folders that differ by case alone are one, under either name
        folders = {name.partition("/")[0].lower() for name in below if "/" in name}
        files = [name for name in below if "/" not in name]
        assert sorted(name for name, is_file in whole if is_file) == sorted(files)
        assert sorted(name.lower() for name, is_file in whole if not is_file) == sorted(folders)
        keys = [name.lower() + ("" if is_file else "/") for name, is_file in whole]
        ordered = sorted(keys, key=str.encode, reverse=order == "desc")
        assert [key for key, _ in groupby(keys)] == [key for key, _ in groupby(ordered)]
        for size, skip in ((1, 0), (3, 2), (5, 5), (1000, 7), (4, len(whole) - 1)):
            page = await entries(storage, (prefix, bucket), size, skip, order)
            assert page == whole[skip : skip + size]


async def entries(
    storage: Storage, place: tuple[str, str], most: int, skip: int, order: str
) -> list[tuple[str, bool]]:
    rows = await storage.rows(
        "select name, id from storage.search($1, $2, $3, 1, $4, '', 'name', $5)",
        *place, most, skip, order,
    )  # fmt: skip
    return [(row["name"], row["id"] is not None) for row in rows]


@pytest.mark.parametrize("order", ["asc", "desc"])
async def test_a_page_of_a_huge_folder_reads_little_of_it_whatever_the_policies(
    storage: Storage, order: str
):
    await storage.run(
        f"insert into storage.buckets (id, name) values ('huge-{order}', 'huge-{order}')",
        "alter table storage.objects disable trigger user",
        "insert into storage.objects (bucket_id, name, owner_id)"
        f" select 'huge-{order}', folder || lpad(n::text, 5, '0'), 'me'"
        " from generate_series(1, 5000) n, (values ('a/'), ('M/'), ('z/')) as f (folder)",
        "alter table storage.objects enable trigger user",
        "analyze storage.objects",
        f'create policy "huge {order}" on storage.objects for select to anon'
        " using (owner_id = 'me')",
    )
    found = await storage.rows_as_anon(
        f"select count(*) from storage.search('m/', 'huge-{order}', 100, 1, 0, '', 'name', '{order}')",
        "select sum(idx_tup_fetch + seq_tup_read)::int as count from pg_stat_xact_user_tables"
        " where relname = 'objects' and schemaname = 'storage'",
    )
    assert found[0] == 100
    assert found[1] < 1_000


async def test_folders_by_time_are_in_the_order_of_their_names(storage: Storage):
    await storage.bucket("timed")
    for name in ("b/1", "a/1", "c/1", "z"):
        await storage.put(f"timed/{name}")
    for order, folders in (("asc", ["a", "b", "c"]), ("desc", ["c", "b", "a"])):
        body = {"prefix": "", "sortBy": {"column": "created_at", "order": order}}
        listed = (await storage.call("POST", "/object/list/timed", json=body)).json()
        assert [each["name"] for each in listed] == [*folders, "z"]
