"""An exam that is prepared once for the tests that only look at it."""

import pytest


@pytest.fixture(scope="module")
def sitting(tmp_path_factory):
    """The exam of the embedded analyst, with what is expected of each question."""
    from ia.kernel import config, observers
    from ia.kernel.workspace import Workspace
    from ia.reach.exam.sitting import open_exam
    from ia.wiring.indexing import register_indexes

    folder = tmp_path_factory.mktemp("owner")
    before = dict(observers.registered)
    register_indexes(lambda _: None)
    state = {"IA_HOME": str(folder), "XDG_STATE_HOME": str(folder / "state"), "IA_COMPUTE_ISOLATION": "prefer"}
    with config.replace_environment(state), open_exam(Workspace(), "ia-offline") as prepared:
        yield prepared
    observers.registered.clear()
    observers.registered.update(before)
