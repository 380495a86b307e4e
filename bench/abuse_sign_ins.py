"""Abuse of the auth service: guessed passwords and codes, and floods of sign-ins."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from bench.abuse import Attack, Target, attacked, print_honest, run_in_threads
from bench.figures import Figure, keep

_HONEST, _ATTACKER, _PASSWORD = "192.0.2.1", "198.51.100.7", "secreto1"
_AT_ONCE = 30
_FLOOD = 300  # sign-ins at once from as many addresses
_LONGEST = 20.0  # seconds that one attack goes on at most
_TRIES = 10  # honest sign-ins that are timed


def measure_sign_ins(target: Target) -> None:
    """What guessers get, how fast, and how long an honest sign-in takes meanwhile."""
    _sign_up(target, "ana@example.com")
    alone = _honest_times(target)
    print(f"honest sign-in, nobody else            {_worded(alone)}")
    ended = threading.Event()
    thread = threading.Thread(target=_wrong_sign_ins, args=(target, ended))
    thread.start()
    time.sleep(1)
    beside = _honest_times(target)
    print(f"… with {_AT_ONCE} wrong ones of one address     {_worded(beside)}  (target 2,000)")
    keep(Figure(f"honest sign-in beside {_AT_ONCE} wrong ones", beside[-1], "ms", 2_000))
    ended.set()
    thread.join()
    _print_guesses(
        "600 wrong codes, one address", 600, lambda _: _guess_code(target, "203.0.113.8")
    )
    _print_guesses("120 wrong passwords, one address", 120, lambda _: _wrong(target, "203.0.113.9"))
    _print_guesses(
        "120 wrong passwords, 120 addresses", 120, lambda n: _wrong(target, f"203.0.113.{n}")
    )
    _print_full_queue(target)


def sign_in_attacks() -> tuple[Attack, ...]:
    """Sign-ins that are wrong, as many at once as one address may try."""
    return (Attack(f"{_AT_ONCE} wrong sign-ins at once of one address", _wrong_sign_ins),)


def _print_full_queue(target: Target) -> None:
    """So many sign-ins at once from as many addresses: who is refused, and how soon."""

    def sign_in(number: int) -> tuple[int, float]:
        return _timed(lambda: _flooding(target, number))

    with ThreadPoolExecutor(_FLOOD) as threads:
        answers = list(threads.map(sign_in, range(_FLOOD)))
    for status in sorted({status for status, _ in answers}):
        times = sorted(took for found, took in answers if found == status)
        print(f"{_FLOOD} sign-ins at once: {status} x {len(times):3}  {_worded(times)}")


def _flooding(target: Target, number: int) -> int:
    address = f"10.9.{number // 250}.{number % 250 + 1}"
    return _sign_in(target, f"nadie{number}@example.com", "wrong-password", address)


def _print_guesses(name: str, count: int, guess: Callable[[int], int]) -> None:
    began = time.perf_counter()
    found = Counter(guess(number) for number in range(count))
    took = time.perf_counter() - began
    counts = ", ".join(f"{status} x {times}" for status, times in sorted(found.items()))
    print(f"{name:38} {counts}  in {took:.1f} s")


def _wrong_sign_ins(target: Target, ended: threading.Event) -> None:
    end = time.monotonic() + _LONGEST

    def again() -> None:
        while not ended.is_set() and time.monotonic() < end:
            _wrong(target, _ATTACKER)

    run_in_threads(again, _AT_ONCE)


def _honest_times(target: Target) -> list[float]:
    timed = [_timed(lambda: _honest(target)) for _ in range(_TRIES)]
    wrong = [status for status, _ in timed if status != 200]
    if wrong:
        print(f"honest sign-ins were refused: {wrong}")
    return sorted(took for _, took in timed)


def _honest(target: Target) -> int:
    return _sign_in(target, "ana@example.com", _PASSWORD, _HONEST)


def _timed(call: Callable[[], int]) -> tuple[int, float]:
    began = time.perf_counter()
    status = call()
    return status, (time.perf_counter() - began) * 1000


def _worded(times: list[float]) -> str:
    return f"median {times[len(times) // 2]:6.0f} ms  worst {times[-1]:6.0f} ms"


def _wrong(target: Target, address: str) -> int:
    return _sign_in(target, "ana@example.com", "wrong-password", address)


def _sign_in(target: Target, email: str, password: str, address: str) -> int:
    body = {"email": email, "password": password}
    return _post(target, "/auth/v1/token?grant_type=password", body, address)


def _sign_up(target: Target, email: str) -> None:
    body = {"email": email, "password": _PASSWORD}
    status = _post(target, "/auth/v1/signup", body, _HONEST)
    if status != 200:
        raise RuntimeError(f"the sign-up was refused: {status}")


def _guess_code(target: Target, address: str) -> int:
    body = {"type": "email", "email": "ana@example.com", "token": "000000"}
    return _post(target, "/auth/v1/verify", body, address)


def _post(target: Target, path: str, body: dict[str, Any], address: str) -> int:
    """Post as a caller whom the trusted proxy names; 0 where the connection was cut."""
    connection = target.connect()
    headers = {
        "apikey": target.key, "Content-Type": "application/json", "X-Forwarded-For": address,
    }  # fmt: skip
    try:
        connection.request("POST", path, json.dumps(body), headers)
        answer = connection.getresponse()
        answer.read()
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()
    return answer.status


if __name__ == "__main__":
    with attacked() as stack:
        measure_sign_ins(stack)
        print_honest(stack, sign_in_attacks())
