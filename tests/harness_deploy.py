"""The reverse proxies of `deploy/`, from Debian's packages, before a running stack on loopback."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.harness_programs import free_port, require_program, running
from tests.harness_stack import ROOT

PROXIES = ("caddy", "nginx", "haproxy")
_NGINX = """\
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/proxy.log;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{site}
}}
"""


@dataclass(frozen=True)
class Proxy:
    """A running proxy: its HTTPS and HTTP addresses, and a context that trusts its certificate."""

    https_port: int
    http_port: int
    tls: ssl.SSLContext

    @property
    def url(self) -> str:
        return f"https://localhost:{self.https_port}"


@contextmanager
def running_proxy(kind: str, folder: Path, upstream: int, *, https_port: int) -> Iterator[Proxy]:
    """Run a proxy with the configuration of `deploy/`: names, ports and files are this test's."""
    program = require_program(kind)
    _write_certificate(folder)
    http_port = free_port()
    command = _COMMANDS[kind](folder, upstream, https_port, http_port)
    folder.chmod(0o755)
    with running([program, *command], https_port, folder):
        tls = ssl.create_default_context(cafile=str(folder / "cert.pem"))
        yield Proxy(https_port, http_port, tls)


def _caddy(folder: Path, upstream: int, https_port: int, http_port: int) -> tuple[str, ...]:
    site = (ROOT / "deploy" / "Caddyfile").read_text()
    site = site.replace(
        "planes.example {", f"https://localhost:{https_port} {{\n\ttls cert.pem key.pem"
    )
    site = site.replace("127.0.0.1:54321", f"127.0.0.1:{upstream}")
    options = f"{{\n\tadmin off\n\thttp_port {http_port}\n\thttps_port {https_port}\n}}\n"
    site = site.replace("tls cert.pem key.pem", f"tls {folder}/cert.pem {folder}/key.pem")
    (folder / "Caddyfile").write_text(options + site)
    return ("run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile")


def _nginx(folder: Path, upstream: int, https_port: int, http_port: int) -> tuple[str, ...]:
    site = (ROOT / "deploy" / "nginx.conf").read_text()
    site = site.replace("listen 80;", f"listen 127.0.0.1:{http_port};")
    site = site.replace("listen 443 ssl", f"listen 127.0.0.1:{https_port} ssl")
    site = site.replace("127.0.0.1:54321", f"127.0.0.1:{upstream}")
    site = site.replace("server_name planes.example", "server_name localhost")
    site = re.sub(r"ssl_certificate .*;", f"ssl_certificate {folder}/cert.pem;", site)
    site = re.sub(r"ssl_certificate_key .*;", f"ssl_certificate_key {folder}/key.pem;", site)
    site = site.replace("https://$host$request_uri", f"https://$host:{https_port}$request_uri")
    site = site.replace("Host $host;", "Host $http_host;")  # the port is not the usual one
    (folder / "nginx.conf").write_text(nginx_with(site, folder))
    return ("-c", str(folder / "nginx.conf"), "-p", str(folder))


def nginx_with(site: str, folder: Path) -> str:
    """A whole configuration of nginx, whose files are in a folder, out of a site's."""
    return _NGINX.format(folder=folder, site=site)


def _haproxy(folder: Path, upstream: int, https_port: int, http_port: int) -> tuple[str, ...]:
    site = (ROOT / "deploy" / "haproxy.cfg").read_text()
    site = site.replace("bind :80", f"bind 127.0.0.1:{http_port}")
    site = site.replace("bind :443", f"bind 127.0.0.1:{https_port}")
    site = site.replace("/etc/haproxy/planes.pem", f"{folder}/planes.pem")
    site = site.replace("127.0.0.1:54321", f"127.0.0.1:{upstream}")
    both = (folder / "cert.pem").read_text() + (folder / "key.pem").read_text()
    (folder / "planes.pem").write_text(both)
    (folder / "haproxy.cfg").write_text(site)
    return ("-db", "-f", str(folder / "haproxy.cfg"))


_COMMANDS = {"caddy": _caddy, "nginx": _nginx, "haproxy": _haproxy}


def _write_certificate(folder: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    names = [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=7))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
