"""What the tests of channels share."""

import pytest

from ia.organs.channels.conformance import run_service


@pytest.fixture
def service():
    with run_service() as running:
        yield running


@pytest.fixture
def phone(service, ws):
    """A channel `phone` whose service is on the loopback."""
    ws.write("config.yaml", f"channels:\n  phone: json://127.0.0.1:{service.server_port}/\n")
    return service
