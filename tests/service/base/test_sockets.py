"""Sockets to serve on, and the sentence that says why there is none."""

from __future__ import annotations

import pytest

from compat_base.sockets import ListenError, listen, listen_many


@pytest.mark.parametrize("port", [65536, 70000, -1])
def test_a_port_that_there_is_not_is_one_sentence(port: int):
    text = f"cannot listen on 127.0.0.1:{port}: a port is 0 to 65535"
    for make in (lambda: listen("127.0.0.1", port), lambda: listen_many("127.0.0.1", port, 2)):
        with pytest.raises(ListenError, match=text):
            make()
