"""The streams to an MCP server behind an address: Streamable HTTP, as the protocol's own package speaks it.

The owner names the address in a setting, so it may be private. Redirects to another host are not followed.
"""

import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any


class HttpPipes:
    """A connection to a server that somebody else runs; the like of ServerPipes.

    started   always True: there is no process that could fail to start
    """

    def __init__(self, url: str, token: str = "") -> None:
        self.started = True
        self._url, self._token = url, token

    def diagnostic_text(self) -> str:
        """Return "": what such a server complains of is in its answers."""
        return ""

    def kill(self) -> None:
        """Do nothing: the connection ends with the loop."""

    @contextlib.asynccontextmanager
    async def open_streams(self, ended: Callable[[], None]) -> AsyncIterator[Any]:
        """Connect and yield (messages from it, messages to it)."""
        from mcp.client import streamable_http

        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        async with (
            streamable_http.create_mcp_http_client(headers=headers) as client,  # type: ignore[attr-defined]
            streamable_http.streamable_http_client(self._url, http_client=client) as streams,
        ):
            yield streams
        ended()
