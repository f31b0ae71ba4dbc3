"""An exam that is prepared once for the tests that only look at it, and a workspace that is built once for the others."""

import fcntl
import shutil

import pytest


@pytest.fixture(scope="module")
def built_once(shared_cache):
    """Exams begin in copies of the workspace that the first of them built."""
    from ia.kernel import config
    from ia.reach.exam import preparation, sitting

    place = shared_cache.parent / "exam-workspace"

    def copy(plan):
        home = config.home()
        with open(f"{place}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not place.exists():
                preparation.build_workspace(plan)
                shutil.copytree(home, f"{place}.new", symlinks=True)
                (place.parent / f"{place.name}.new").rename(place)
        preparation.copy_workspace(str(place), home)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sitting, "build_workspace", copy)
        yield


@pytest.fixture(scope="module")
def sitting(tmp_path_factory, built_once):
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
