"""Which token is used in a hub's home."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from handraise.errors import HandraiseError, HubUnreachable
from handraise.home import Home


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("HANDRAISE_AGENT", raising=False)
    hub = {"url": "http://127.0.0.1:1", "pid": os.getpid()}
    (tmp_path / "hub.json").write_text(json.dumps(hub))
    (tmp_path / "agents").mkdir()
    for name in ("agent", "person", "agents/sdk-python", "agents/bot"):
        (tmp_path / f"{name}.token").write_text(f"token of {name}\n")
    return tmp_path


def test_each_agent_uses_its_own_token(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Home(home)
    assert place.address("person")[1] == "token of person"
    assert place.address("agent")[1] == "token of agents/sdk-python"
    monkeypatch.setenv("HANDRAISE_AGENT", "bot")
    assert place.address("agent")[1] == "token of agents/bot"
    assert place.address("person")[1] == "token of person"


def test_the_shared_token_is_used_where_a_hub_has_made_no_other(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "agents/sdk-python.token").unlink()
    assert Home(home).address("agent")[1] == "token of agent"
    monkeypatch.setenv("HANDRAISE_AGENT", "nobody")
    with pytest.raises(HandraiseError, match="nobody.token cannot be read"):
        Home(home).address("agent")


@pytest.mark.parametrize("name", ["../person", ".", "a/b", "a b", "a\n", "x" * 101])
def test_what_is_not_a_name_leads_to_no_file(
    name: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANDRAISE_AGENT", name)
    with pytest.raises(HandraiseError, match="not an agent's name"):
        Home(home).address("agent")


@pytest.mark.skipif(sys.platform != "linux", reason="the start of a process is read in /proc")
def test_a_process_that_has_the_number_of_a_dead_hub_gets_no_token(home: Path) -> None:
    stat = Path("/proc/self/stat").read_text()
    started = int(stat.rsplit(")", 1)[1].split()[19])
    for start, runs in ((started, True), (started + 1, False)):
        hub = {"url": "http://127.0.0.1:1", "pid": os.getpid(), "started": start}
        (home / "hub.json").write_text(json.dumps(hub))
        if runs:
            assert Home(home).address("person")[1] == "token of person"
        else:
            with pytest.raises(HubUnreachable, match="is not running"):
                Home(home).address("person")


@pytest.mark.parametrize(
    "hub", [b"", b"{", b"[]", b"7", b"[" * 200_000, b'{"url": "x", "pid": 1e999}', b"\xff"]
)
def test_a_file_of_another_form_is_no_hub(hub: bytes, home: Path) -> None:
    (home / "hub.json").write_bytes(hub)
    with pytest.raises(HubUnreachable, match="no hub has been started"):
        Home(home).address("agent")


def test_a_token_that_is_not_text_is_named(home: Path) -> None:
    (home / "person.token").write_bytes(b"\xff\xfe")
    with pytest.raises(HandraiseError, match="person.token is not text"):
        Home(home).address("person")
