"""What `ia doctor` finds in a workspace, and what it repairs."""

import os
import subprocess

from ia.kernel import config
from ia.kernel.errors import Message
from ia.reach import doctor


def states_and_details(findings):
    return [(finding.state, str(finding.detail)) for finding in findings]


def test_a_workspace_that_others_can_read_is_found_and_closed(home, ws):
    ws.write("notebook/a.md", "x")
    assert states_and_details(doctor._check_privacy(ws)) == []
    os.chmod(home / ".ia", 0o755)
    assert [state for state, _ in states_and_details(doctor._check_privacy(ws))] == ["warn"]
    said: list[Message] = []
    doctor.mend_problems(ws, said.append)
    assert "access by other users removed" in str(said[0]) and states_and_details(doctor._check_privacy(ws)) == []


def test_secrets_that_git_tracks_are_found(home, ws):
    ws.write("notebook/a.md", "x")
    config.keep_secret("TOKEN", "geheim")
    git = ["git", "-C", str(home), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    assert states_and_details(doctor._check_privacy(ws)) == []
    subprocess.run([*git, "add", "-f", ".ia/secrets"], check=True)
    assert "git tracks .ia/secrets" in states_and_details(doctor._check_privacy(ws))[0][1]
