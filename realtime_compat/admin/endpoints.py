"""Endpoints for operators: ping, health checks, metrics (realtime reference 16)."""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from prometheus_client import CollectorRegistry

from compat_base.values.errors import ApiError
from compat_base.values.http import HttpRequest, HttpResponse, bearer
from realtime_compat import auth, errors
from realtime_compat.access import topics
from realtime_compat.admin.metrics import CONTENT_TYPE, exposition
from realtime_compat.settings import Settings
from realtime_compat.transports.http_broadcast import json_response
from realtime_compat.transports.service import Service


@dataclass(frozen=True, slots=True)
class AdminEndpoints:
    """The endpoints for GET; HEAD is answered by its caller."""

    settings: Settings
    service: Service
    registry: CollectorRegistry

    async def handle(self, request: HttpRequest) -> HttpResponse:
        """Answer a request."""
        match request.path.strip("/").split("/"):
            case ["api", "ping"]:
                return json_response(200, {"message": "Success"})
            case ["healthcheck"]:
                return HttpResponse(200, (("content-type", "text/plain; charset=utf-8"),), b"ok")
            case ["api", "tenants", _, "health"]:
                return await self._health(request)
            case ["metrics"]:
                return self._metrics(request)
            case _:
                row = errors.HTTP_NOT_FOUND
                return json_response(row.status, {"message": row.message})

    async def _health(self, request: HttpRequest) -> HttpResponse:
        if not self._is_operator(request):
            return HttpResponse(403)
        service = self.service
        is_connected = await topics.ping(service.database)
        is_streaming = service.replication.is_up
        is_joined = service.bus is None or service.bus.is_up
        data = {
            "healthy": is_connected
            and is_streaming
            and is_joined
            and not service.supervisor.failing,
            "db_connected": is_connected,
            "replication_connected": is_streaming,
            "connected_cluster": service.bus.size if service.bus else 1,
            "region": self.settings.region,
            "node": service.hub.node,
        }
        return json_response(200, {"data": data})

    def _is_operator(self, request: HttpRequest) -> bool:
        """The API secret itself, or any token that it signed (the compose file's anon key)."""
        token = bearer(request.headers) or ""
        secret = self.settings.api_secret.reveal()
        if hmac.compare_digest(token.encode(), secret.encode()):
            return True
        try:
            auth.verify(token, self.settings.keys, self._now())
        except ApiError:
            return False
        return True

    def _metrics(self, request: HttpRequest) -> HttpResponse:
        """A token that the secret of metrics signed opens them; without that secret none does."""
        key, token = self.settings.metrics_key, bearer(request.headers)
        if key is None or not token or not auth.is_signed(token, key, self._now()):
            return HttpResponse(403)
        return HttpResponse(200, (("content-type", CONTENT_TYPE),), exposition(self.registry))

    def _now(self) -> float:
        return self.service.world.clock.now().timestamp()
