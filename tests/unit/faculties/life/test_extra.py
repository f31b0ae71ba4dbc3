import pytest

from ia.faculties.life.extra import load_package
from ia.kernel.errors import ConfigError


def test_a_missing_package_is_told_with_what_to_install():
    with pytest.raises(ConfigError, match="needs the package no_such_package") as failed:
        load_package("no_such_package.part")
    assert "pip install 'ia[life]'" in str(failed.value.hint)
