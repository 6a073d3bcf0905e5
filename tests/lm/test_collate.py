import pytest
from datasets import Dataset

from finground.core.errors import InputError
from finground.lm import base, collate

EOS = 9


def letters(texts, start):
    """One id a letter, a = 10."""
    return [[ord(letter) - 87 for letter in text] for text in texts]


def test_one_eos_is_labelled_at_the_end_of_the_target_though_pad_is_eos():
    rows = Dataset.from_dict({"prompt": ["abc", "a"], "target": ["de", "f"]})
    kept = collate.pairs(rows, letters, EOS, limit=10)
    laid = collate.batch(kept.examples, [0, 1], pad=EOS)
    assert laid.ids.tolist() == [[10, 11, 12, 13, 14, EOS], [10, 15, EOS, EOS, EOS, EOS]]
    assert laid.labels.tolist() == [[-100, -100, -100, 13, 14, EOS], [-100, 15, EOS, -100, -100, -100]]
    assert laid.mask.tolist() == [[1] * 6, [1, 1, 1, 0, 0, 0]]
    assert (laid.tokens, laid.padded) == (9, 3)


def test_a_row_that_does_not_fit_is_rejected_with_its_reason_and_never_cut():
    rows = Dataset.from_dict({"prompt": ["abcdefgh", "abc", "ab"], "target": ["i", "defghi", "c"]})
    kept = collate.pairs(rows, letters, EOS, limit=8)
    assert [(row.row, row.reason, row.tokens) for row in kept.rejected] == [
        (0, "no-room", 10),
        (1, "too-long", 10),
    ]
    assert len(kept.examples) == 1 and list(kept.examples.read(0)) == [10, 11, 12, EOS]


def test_when_every_row_is_rejected_there_is_nothing_to_train():
    rows = Dataset.from_dict({"prompt": ["abcdefgh"], "target": ["i"]})
    with pytest.raises(
        InputError, match=r"0 training rows: all 1 were rejected.*leaves no room for a target"
    ):
        collate.pairs(rows, letters, EOS, limit=8).check()


def test_no_rows_and_empty_labels_are_named():
    with pytest.raises(InputError, match="0 training rows"):
        collate.check_rows(Dataset.from_dict({"prompt": [], "target": []}))
    targets = ["x"] * 1000
    targets[617] = None
    with pytest.raises(InputError, match="row 617: its target is None"):
        collate.check_rows(Dataset.from_dict({"prompt": ["a"] * 1000, "target": targets}))
    with pytest.raises(InputError, match="they need prompt and target"):
        collate.check_rows(Dataset.from_dict({"prompt": ["a"]}))


def test_blocks_keep_their_places_when_others_are_left_out():
    blocks = Dataset.from_dict({"input_ids": [[1, 2, 3], [4], [5, 6, 7, 8, 9], [10, 11]]})
    kept = collate.blocks(blocks, limit=4)
    assert [(row.row, row.reason) for row in kept.rejected] == [(1, "too-short"), (2, "too-long")]
    assert [list(kept.examples.read(index)) for index in range(2)] == [[1, 2, 3], [10, 11]]
    assert collate.blocks(blocks.select([3, 0]), limit=4).examples.lengths == [2, 3]


def test_an_epoch_shows_every_example_once_in_an_order_of_seed_and_number():
    lengths = [index % 13 for index in range(101)]
    first = collate.epoch(lengths, 4, seed=7, number=0)
    assert sorted(index for one in first for index in one) == list(range(101))
    assert first == collate.epoch(lengths, 4, seed=7, number=0)
    assert first != collate.epoch(lengths, 4, seed=7, number=1) != collate.epoch(lengths, 4, seed=8, number=1)


def test_prompt_and_target_are_encoded_as_generation_encodes_the_prompt(llama):
    tokenizer = base.tokenizer(llama)
    assert base.encode(tokenizer, ["profit rose"])[0] == tokenizer("profit rose")["input_ids"]
