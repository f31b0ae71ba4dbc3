"""Which model answers, and what of `llm` is known without loading it."""

from pathlib import Path

import pytest

from ia.agent.turns import models


@pytest.mark.parametrize("variable", ["LLM_USER_PATH", "XDG_CONFIG_HOME", "HOME"])
def test_the_folder_of_llm_is_found_without_llm(tmp_path, monkeypatch, variable):
    for name in ("LLM_USER_PATH", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, str(tmp_path / "there"))
    assert Path(models.llm_folder()) == models.import_llm().user_dir()


def test_the_default_model_of_llm_answers(tmp_path, monkeypatch):
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path))
    assert models.choose_model(None) == models.OFFLINE
    (tmp_path / "default_model.txt").write_text("gpt-9\n", encoding="utf-8")
    assert models.choose_model(None) == "gpt-9"
