"""Copies (cases C1, C3), what stands for them, and the training data's distance from evaluation (C4)."""

import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finground.core.errors import InputError
from finground.corpus import grams
from finground.corpus.overlap import evaluation_texts
from finground.corpus.sample import WHOLE, in_share, place, threshold
from finground.settings import Evaluation, Near

WORDS = [f"word{number}" for number in range(400)]


def text(seed: int, length: int = 150) -> list[str]:
    """Words at random, a few of them English so that they pass as such."""
    chosen = random.Random(seed).choices(WORDS, k=length)
    chosen[::10] = ["the"] * len(chosen[::10])
    return chosen


def shingles(body: str, length: int = 5) -> set[str]:
    """Word n-grams by the book, to hold the hashed ones against."""
    words = body.lower().split()
    return {" ".join(words[at : at + length]) for at in range(max(len(words) - length + 1, 1))}


def jaccard(one: str, other: str) -> float:
    a, b = shingles(one), shingles(other)
    return len(a & b) / len(a | b)


@given(
    st.lists(
        st.lists(st.sampled_from(["oil", "gold", "cash", "café", "中文", "a_b", "3m"]), max_size=12),
        min_size=1,
        max_size=6,
    )
)
def test_hashed_grams_are_as_many_and_as_similar_as_written_ones(bodies: list[list[str]]):
    texts = [" ".join(words) for words in bodies]
    flat = grams.grams(grams.words(texts), 5)
    for at, body in enumerate(texts):
        assert len(np.unique(flat[at])) == (len(shingles(body)) if body else 0)
        if body and texts[0]:
            assert grams.jaccard(np.unique(flat[0]), np.unique(flat[at])) == jaccard(texts[0], body)


def test_words_are_hashed_alike_wherever_they_stand_and_differently_if_they_differ():
    one, other = grams.words(["Oil, rose!", "x " * 5000 + "(oil) “rose” fell"]), grams.words(["ROSE oil"])
    assert one[0].tolist() == one[1][5000:5002].tolist() == other[0][::-1].tolist()
    assert len({*one[1].tolist(), *one[0].tolist()}) == 4


def test_the_earliest_of_equal_bodies_stays_and_then_the_smallest_id(choose, write_article):
    body = "The sales of it rose again in May."
    same = [
        write_article("c", body, "2024-01-02"),
        write_article("b", body.upper() + " REUTERS", "2024-01-01"),
        write_article("a", body, "2024-01-02"),
    ]
    chosen = choose(same)
    assert chosen.ids() == ["b"] and chosen.dropped == {"a": "exact duplicate", "c": "exact duplicate"}
    assert chosen.links == {"a": ("copy", "b"), "c": ("copy", "b")}
    assert choose([same[0], same[2]]).ids() == ["a"]


def test_pages_differ_by_their_number_and_not_by_their_tracking(choose, write_article):
    pages = [
        write_article(p, f"This is the page {p} of it", url=f"http://x.test/a?{p}") for p in ("p=1", "p=2")
    ]
    assert len(choose(pages).ids()) == 2
    tracked = [
        write_article(p, f"It was seen by the {p} again", url=f"http://x.test/a?p=1&utm_source={p}")
        for p in ("q", "r")
    ]
    assert len(choose(tracked).ids()) == 1


def test_empty_bodies_are_no_copies_of_one_another_whatever_their_titles(choose, write_article):
    """C3: both are kept, each for its headline."""
    bodies = {"a": "", "b": "", "c": " \x00\xad ", "d": "The one that has a text of its own."}
    titles = {id: f"Oil of the kind {id} rose on the day of the news" for id in bodies} | {"d": "Oil"}
    chosen = choose([write_article(id, body, title=titles[id]) for id, body in bodies.items()])
    assert sorted(chosen.ids()) == ["a", "b", "d"]
    assert chosen.dropped == {"c": "empty"} and chosen.links == {}


def test_a_copy_on_another_site_is_syndicated_and_linked(choose, write_article):
    body = " ".join(text(1))
    copies = [
        write_article("a", body, url="http://reuters.test/1"),
        write_article(
            "b", f"{body} (Reporting by A. Writer; Editing by B. Editor)", "2024-01-02", source="wire"
        ),
        write_article("c", body, "2024-01-03", url="http://other.test/1"),
    ]
    chosen = choose(copies)
    assert chosen.ids() == ["a"]
    assert chosen.links == {"b": ("syndicated copy", "a"), "c": ("syndicated copy", "a")}
    assert set(chosen.dropped.values()) == {"syndicated copy"}


def test_a_correction_is_linked_to_what_it_corrects_and_its_text_is_kept(choose, write_article):
    words = text(2)
    corrected = [*words[:-1], "million"]
    story = [
        write_article("a", " ".join(words), title="Oil rises"),
        write_article("b", " ".join(corrected), "2024-01-02", title="CORRECTED-Oil rises"),
        write_article("c", " ".join(corrected), "2024-01-03", title="UPDATE 2-Oil rises"),
    ]
    chosen = choose(story)
    assert chosen.ids() == ["a"]
    assert chosen.links == {"b": ("correction", "a"), "c": ("update", "a")}
    assert (chosen.dropped["b"], chosen.rejected) == ("correction", ["b"])


def test_a_word_more_is_a_near_duplicate_and_a_tenth_of_other_words_is_not(choose, write_article):
    words = text(1)
    changed = [word if at % 10 else "other" for at, word in enumerate(words)]
    documents = [
        write_article("a", " ".join(words)),
        write_article("b", " ".join([*words, "and", "more"]), "2024-01-02"),
        write_article("c", " ".join([*changed, *["the"] * 20]), "2024-01-03"),
    ]
    assert (
        jaccard(documents[0].text, documents[1].text)
        > 0.8
        > 0.7
        > jaccard(documents[0].text, documents[2].text)
    )
    chosen = choose(documents)
    assert sorted(chosen.ids()) == ["a", "c"] and chosen.dropped == {"b": "near duplicate"}


def test_all_pairs_over_the_threshold_are_found_and_no_other(choose, write_article, settings):
    """Against every pair, counted on the texts: the index may miss, it must not invent."""
    documents = []
    for group in range(30):
        words = text(group)
        for copy in range(3):
            order = random.Random(100 * group + copy)
            changed = [word if order.random() > 0.03 * copy else "new" for word in words]
            documents.append(write_article(f"{group}-{copy}", " ".join(changed), f"2024-01-{copy + 1:02d}"))
    near = settings.model_copy(update={"near": Near(jaccard=0.6)})
    dropped = choose(documents, near).dropped
    true = {
        one.id for one in documents for other in documents
        if other.published_at < one.published_at and jaccard(one.text, other.text) >= 0.6
    }  # fmt: skip
    assert len(true) >= 30
    assert set(dropped) <= true and len(dropped) >= 0.95 * len(true)


def test_the_order_of_the_input_changes_nothing(choose, write_article):
    documents = [
        write_article(f"d{n}", " ".join([*text(n % 9), *["tail"] * (n // 9)]), f"2024-01-{1 + n * 7 % 5:02d}")
        for n in range(80)
    ]
    first = choose(documents)
    assert len(first.ids()) < 60
    for seed in range(3):
        shuffled = random.Random(seed).sample(documents, k=len(documents))
        again = choose(shuffled)
        assert (again.ids(), again.dropped, again.links) == (first.ids(), first.dropped, first.links)


def test_training_shares_nothing_with_the_held_out_by_an_exact_count(choose, write_article):
    held = [write_article(f"h{n}", " ".join(text(n)), "2024-07-01") for n in range(20)]
    training = [
        write_article(f"t{n}", " ".join([*text(n)[: 150 - 2 * n], *text(1000 + n, 2 * n)])) for n in range(40)
    ]
    chosen = choose([*held, *training])
    touching = {t.id for t in training if any(jaccard(t.text, h.text) >= 0.7 for h in held)}
    assert touching and set(chosen.dropped) == touching
    assert set(chosen.dropped.values()) == {"duplicate of a held-out document"}
    assert len(chosen.ids()) + len(touching) == 40


def test_training_minus_evaluation_sets_is_training(choose, write_article, settings, tmp_path):
    """C4: thirteen words in a row, or eight of an item too short for that, and nothing less."""
    long, short, tiny = text(5, 40), text(6, 9), text(7, 5)
    rows = [
        {"text": " ".join(words), "deep": [{"said": " ".join(text(8, 20))}]} for words in (long, short, tiny)
    ]
    raw = tmp_path / "raw-and-sets"
    (raw / "sets").mkdir(parents=True)
    (raw / "sets" / "test.jsonl").write_text("\n".join(map(json.dumps, rows)))
    bodies = {
        "thirteen": [*text(20, 50), *long[10:23], *text(21, 50)],
        "twelve": [*text(22, 50), *long[10:22], *text(23, 50)],
        "short": [*text(24, 50), *short, *text(25, 50)],
        "tiny": [*text(26, 50), *tiny, *text(27, 50)],
        "deep": [*text(28, 50), *text(8, 20), *text(29, 50)],
    }
    from made_corpus import put

    put(raw, [write_article(id, " ".join(words).replace("word1", "Word1")) for id, words in bodies.items()])
    guarded = settings.model_copy(
        update={"evaluation": (Evaluation(files="sets/*.jsonl", fields=("text", "deep.said")),)}
    )
    chosen = choose([], guarded, raw=raw)
    assert sorted(chosen.ids()) == ["tiny", "twelve"]
    assert set(chosen.dropped) == {"thirteen", "short", "deep"}
    assert set(chosen.dropped.values()) == {"overlaps an evaluation set"}
    assert chosen.selected.evaluation == {"items": 6, "too_short": 1}


def test_an_evaluation_set_of_a_word_a_row_is_read_by_sentence(tmp_path):
    (tmp_path / "words.csv").write_text(
        "label,word,doc,sent\n" + "".join(f"0,w{n},{n // 6},{n // 3}\n" for n in range(12))
    )
    words = Evaluation(files="words.csv", read="csv", fields=("word",), by=("doc", "sent"))
    assert list(evaluation_texts(tmp_path, [words])) == ["w0 w1 w2", "w3 w4 w5", "w6 w7 w8", "w9 w10 w11"]


def test_an_evaluation_set_may_be_a_spreadsheet(tmp_path):
    from openpyxl import Workbook

    book = Workbook()
    for row in (["index", "sentence"], [1, "Rates rose."], [2, None], [3, "They fell."]):
        book.active.append(row)
    book.save(tmp_path / "set.xlsx")
    sheet = Evaluation(files="*.xlsx", read="xlsx", fields=("sentence",))
    assert list(evaluation_texts(tmp_path, [sheet])) == ["Rates rose.", "They fell."]
    (tmp_path / "set.xlsx").write_bytes((tmp_path / "set.xlsx").read_bytes()[:900])
    with pytest.raises(InputError, match=r"set\.xlsx is not a whole XLSX file"):
        list(evaluation_texts(tmp_path, [sheet]))


def test_shares_are_nested_and_about_their_size(write_article):
    documents = [write_article(f"d{n}", "x") for n in range(2000)]
    quarter = {d.id for d in documents if in_share(d, {"reuters": 0.25})}
    half = {d.id for d in documents if in_share(d, {"reuters": 0.5})}
    assert quarter < half and abs(len(quarter) - 500) < 60
    assert all(in_share(document, {"sec": 0.01}) for document in documents)


def test_a_limit_takes_the_smallest_hashes_in_whatever_parts_they_come():
    places = [place(f"d{n}", 3) for n in range(50)]
    for parts in ([places], [places[30:], places[:10], places[10:30]]):
        limit = threshold((np.array(part, np.uint64) for part in parts), 7)
        assert [p for p in places if p <= limit] == [p for p in places if p in sorted(places)[:7]]
    assert threshold([], None) == WHOLE - 1 == threshold([np.array(places, np.uint64)], 51)
