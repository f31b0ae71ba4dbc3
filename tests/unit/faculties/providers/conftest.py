"""What the tests of providers share."""

import pytest

from ia.faculties.providers.registry import close_servers


@pytest.fixture(autouse=True)
def no_server_left():
    yield
    close_servers()


@pytest.fixture
def put(home):
    """Put a provider into the workspace: put("name", front matter, file=text)."""

    def make(name, front, body="", **files):
        folder = home / ".claude" / "providers" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "PROVIDER.md").write_text(f"---\n{front.strip()}\n---\n{body}", encoding="utf-8")
        for file, text in files.items():
            (folder / file.replace("_py", ".py")).write_text(text, encoding="utf-8")
        return folder

    return make
