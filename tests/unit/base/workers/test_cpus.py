"""What /proc and the cgroups' files say of processors."""

from __future__ import annotations

import pytest

from compat_base.values.settings import Reader, SettingsError
from compat_base.workers.cpus import quotas, read_workers, share, usable_cpus


@pytest.mark.parametrize(
    ("membership", "files", "found"),
    [
        ("0::/a/b\n", {"a/b/cpu.max": "250000 100000\n", "a/cpu.max": "max 100000\n"}, [2.5]),
        ("0::/a/b\n", {"a/cpu.max": "400000 100000", "./cpu.max": "150000 100000"}, [4.0, 1.5]),
        (
            "3:cpu,cpuacct:/x\n1:memory:/y\n",
            {"cpu/x/cpu.cfs_quota_us": "50000\n", "cpu/x/cpu.cfs_period_us": "100000\n"},
            [0.5],
        ),
        (
            "3:cpu:/x\n",
            {"cpu/x/cpu.cfs_quota_us": "-1\n", "cpu/x/cpu.cfs_period_us": "100000\n"},
            [],
        ),
        ("0::/a\n", {"a/cpu.max": "nonsense"}, []),
        ("", {}, []),
    ],
)
def test_a_quota_is_found_wherever_it_stands(
    membership: str, files: dict[str, str], found: list[float]
):
    assert list(quotas(membership, files.get)) == found


def test_there_is_always_one():
    assert usable_cpus() >= 1


@pytest.mark.parametrize(("text", "count"), [("", 1), ("3", 3), ("auto", min(usable_cpus(), 64))])
def test_a_number_of_workers_is_read(text: str, count: int):
    assert read_workers(Reader({"WORKERS": text})) == count


@pytest.mark.parametrize("text", ["0", "65", "many"])
def test_a_number_that_cannot_be_is_a_problem(text: str):
    reader = Reader({"WORKERS": text})
    found = read_workers(reader)
    with pytest.raises(SettingsError, match="WORKERS"):
        reader.finish(found)


def test_a_pool_is_divided_and_never_smaller_than_its_least():
    assert [share(10, workers) for workers in (1, 4, 8)] == [10, 2, 2]
    assert share(10, 8, 3) == 3
