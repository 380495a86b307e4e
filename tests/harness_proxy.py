"""Real reverse proxies of this machine before the stack, as another user where tests run as root."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.harness_programs import free_port, require_program, running

IS_ROOT = os.geteuid() == 0

_NGINX = """\
pid {folder}/nginx.pid; error_log stderr; daemon off; worker_processes 1;
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://127.0.0.1:{stack}; {more} }} }}
}}
"""
_HAPROXY = """\
defaults
  mode {mode}
  timeout connect 5s
  timeout client 20s
  timeout server 20s
frontend f
  bind 127.0.0.1:{port}
  default_backend b
backend b
  {more}
  server s 127.0.0.1:{stack}
"""
_CADDY = """\
{{
  admin off
  auto_https off
}}
http://:{port} {{
  bind 127.0.0.1
  reverse_proxy 127.0.0.1:{stack} {{
    {more}
  }}
}}
"""


@contextmanager
def nginx(folder: Path, stack: int, more: str = "") -> Iterator[int]:
    """Debian's nginx with a `proxy_pass`; gives its port."""
    with _running(
        "nginx", folder, _NGINX, ("-p", "{folder}", "-c"), stack=stack, more=more
    ) as port:
        yield port


@contextmanager
def haproxy(folder: Path, stack: int, more: str = "", mode: str = "http") -> Iterator[int]:
    """HAProxy with one server; gives its port."""
    arguments = {"stack": stack, "more": more, "mode": mode}
    with _running("haproxy", folder, _HAPROXY, ("-db", "-f"), **arguments) as port:
        yield port


@contextmanager
def caddy(folder: Path, stack: int, more: str = "") -> Iterator[int]:
    """Caddy with a `reverse_proxy`; gives its port."""
    arguments = ("run", "--adapter", "caddyfile", "--config")
    with _running("caddy", folder, _CADDY, arguments, stack=stack, more=more) as port:
        yield port


@contextmanager
def _running(
    name: str, folder: Path, template: str, arguments: tuple[str, ...], **values: object
) -> Iterator[int]:
    program = require_program(name)
    port = free_port()
    work = folder / name
    work.mkdir()
    config = work / "config"
    config.write_text(template.format(folder=work, port=port, **values))
    if IS_ROOT:
        _open_to_nobody(work, config)
    command = [program, *(argument.format(folder=work) for argument in arguments), str(config)]
    with running(command, port, work, user="nobody" if IS_ROOT else None):
        yield port


def _open_to_nobody(work: Path, *files: Path) -> None:
    shutil.chown(work, "nobody")
    for path in files:
        shutil.chown(path, "nobody")
    for parent in work.parents:
        with suppress(PermissionError):
            parent.chmod(parent.stat().st_mode | 0o011)
