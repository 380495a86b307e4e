"""What memory the attacks on a running stack take, and what it keeps of them."""

from __future__ import annotations

from bench.abuse import Target, attacked, print_memory
from bench.abuse_bodies import large_bodies
from bench.abuse_heads import head_attacks
from bench.abuse_sign_ins import sign_in_attacks
from bench.abuse_sockets import measure_socket_memory


def measure_memory(target: Target) -> None:
    """Memory of the process before, during and after each attack."""
    for attack in (*large_bodies(), *head_attacks(), *sign_in_attacks()):
        print_memory(target, attack)
    measure_socket_memory(target)


if __name__ == "__main__":
    with attacked() as stack:
        measure_memory(stack)
