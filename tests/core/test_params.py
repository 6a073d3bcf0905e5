"""params.yaml: every mistake in one message, exit 2."""

from collections.abc import Callable
from pathlib import Path

import pytest
from small_root import Said, make, params

from finground.core.errors import SettingsError
from finground.settings import check, load


def with_three_mistakes() -> dict:
    values = params()
    values["pretrain"]["lr"] = -1
    values["corpus"]["shares"] = {"sec": "many"}
    values["agent"]["bases"] = ["plain", "golden"]
    return values


def test_three_mistakes_are_in_one_message():
    with pytest.raises(SettingsError, match=r"params\.yaml has 3 mistakes: ") as raised:
        check(with_three_mistakes(), where="params.yaml")
    for words in ("pretrain.lr is -1", "corpus.shares.sec is 'many'", "agent.bases.1 is 'golden'"):
        assert words in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_command_says_them_and_exits_with_2(tmp_path: Path, finground: Callable[..., Said]):
    make(tmp_path, with_three_mistakes())
    said = finground("run", "all", "--root", tmp_path)
    assert (said.code, said.out) == (2, "")
    assert "has 3 mistakes" in said.sentence
    assert "Traceback" not in said.err
    assert [path.name for path in tmp_path.iterdir()] == ["params.yaml"]


def test_an_unknown_key_and_a_missing_one_are_named():
    values = params()
    values["pretrain"]["learning_rate"] = 1
    del values["snapshot"]
    with pytest.raises(SettingsError, match="has 2 mistakes") as raised:
        check(values, where="params.yaml")
    assert "pretrain.learning_rate is not a setting" in str(raised.value)
    assert "snapshot is missing" in str(raised.value)


@pytest.mark.parametrize("text", ["profile: [", "", "- a list"], ids=["no yaml", "empty", "a list"])
def test_what_is_no_mapping_of_settings_is_refused(tmp_path: Path, text: str):
    (tmp_path / "params.yaml").write_text(text)
    with pytest.raises(SettingsError, match=r"params.yaml"):
        load(tmp_path / "params.yaml")


def test_where_there_is_no_root_the_command_that_makes_one_is_named(
    tmp_path: Path, finground: Callable[..., Said]
):
    said = finground("run", "all", "--root", tmp_path / "nowhere")
    assert said.code == 2
    assert "finground init" in said.sentence
