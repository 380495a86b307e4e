"""What /proc and the cgroups' files say of processors."""

from __future__ import annotations

import pytest

from compat_base.workers.cpus import quotas, usable_cpus


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
