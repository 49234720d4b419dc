"""A running server, a client that plays one recorded editor, and the judgement over what was said."""

import asyncio
import sys

import conversation
import profiles
import pytest
import pytest_asyncio
import pytest_lsp
import record

PATIENCE_SECONDS = 30


@pytest.fixture
def recording(tmp_path):
    """Where the traffic of this test is written down."""
    return tmp_path / "traffic.jsonl"


@pytest_asyncio.fixture
async def client(binary, recording, tmp_path):
    """A client with a server; afterwards the server must have ended well and said nothing wrong."""
    config = pytest_lsp.ClientServerConfig(
        server_command=[sys.executable, record.__file__, str(recording), "--", str(binary), "server"],
        client_factory=profiles.make_client,
    )
    client = await config.start()
    yield client
    async with asyncio.timeout(PATIENCE_SECONDS):
        await client.shutdown_session()
        await client.stop()
    faults = conversation.read(recording)
    assert not faults, "\n".join(faults)
