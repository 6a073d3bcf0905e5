"""Duplicates (cases C1, C3) and the training data's distance from evaluation (C4)."""

import random
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from finground.corpus.dedup import decontaminate, deduplicate, shingles
from finground.corpus.sample import Limit, in_share, place
from finground.records.document import Document

WORDS = [f"w{number}" for number in range(400)]


def text(seed: int, length: int = 150) -> list[str]:
    return random.Random(seed).choices(WORDS, k=length)


def made(id: str, body: str, day: int) -> Document:
    return Document(id, "reuters", datetime(2024, 1, 1 + day, tzinfo=UTC), "", body)


def jaccard(one, other) -> float:
    a, b = shingles(one), shingles(other)
    return len(a & b) / len(a | b)


def ids(documents) -> list[str]:
    return [document.id for document in documents]


def test_the_earliest_of_equal_bodies_stays_and_then_the_smallest_id(write_article):
    body = "Sales rose again in May."
    same = [
        write_article("c", body, "2024-01-02"),
        write_article("b", body.upper() + " — Reuters", "2024-01-01"),
        write_article("a", body, "2024-01-02"),
    ]
    kept, dropped = deduplicate(same, 0.8)
    assert ids(kept) == ["b"] and {each.reason for each in dropped} == {"exact duplicate"}
    assert ids(deduplicate([same[0], same[2]], 0.8)[0]) == ["a"]


def test_without_a_body_the_title_decides_and_the_agency_behind_it_does_not(write_article):
    empty = [write_article(name, "", title=title) for name, title in (("a", "Oil up"), ("b", "Oil down"))]
    assert len(deduplicate(empty, 0.8)[0]) == 2
    copies = [write_article(name, "", title=f"Oil up — {name}") for name in ("WSJ", "Reuters")]
    assert len(deduplicate(copies, 0.8)[0]) == 1


def test_pages_differ_by_their_number_and_not_by_their_tracking(write_article):
    pages = [write_article(p, f"Page {p} of it", url=f"http://x.test/a?{p}") for p in ("p=1", "p=2")]
    assert len(deduplicate(pages, 0.8)[0]) == 2
    tracked = [
        write_article(p, f"Seen by {p}", url=f"http://x.test/a?p=1&utm_source={p}") for p in ("q", "r")
    ]
    assert len(deduplicate(tracked, 0.8)[0]) == 1


def test_a_word_more_is_a_near_duplicate_and_a_tenth_of_other_words_is_not(write_article):
    words = text(1)
    changed = [word if at % 10 else "other" for at, word in enumerate(words)]
    documents = [
        write_article("a", " ".join(words)),
        write_article("b", " ".join([*words, "and", "more"]), "2024-01-02"),
        write_article("c", " ".join(changed), "2024-01-03"),
    ]
    assert jaccard(documents[0], documents[1]) > 0.8 > jaccard(documents[0], documents[2])
    kept, dropped = deduplicate(documents, 0.8)
    assert ids(kept) == ["a", "c"]
    assert [(each.id, each.reason) for each in dropped] == [("b", "near duplicate")]


@settings(max_examples=15, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_the_input_changes_nothing(order):
    documents = [
        made(f"d{n}", " ".join([*text(n % 4), *["tail"] * (n // 4)]), day=n * 7 % 5) for n in range(16)
    ]
    shuffled = list(documents)
    order.shuffle(shuffled)
    assert deduplicate(shuffled, 0.8) == deduplicate(documents, 0.8)


def test_training_shares_nothing_with_evaluation_by_an_exact_count(write_article):
    held = [write_article(f"h{n}", " ".join(text(n)), "2024-07-01") for n in range(20)]
    training = [
        write_article(f"t{n}", " ".join([*text(n)[: 150 - 2 * n], *text(1000 + n, 2 * n)])) for n in range(40)
    ]
    kept, dropped = decontaminate(training, held, 0.8)
    touching = {t.id for t in training if any(jaccard(t, h) >= 0.8 for h in held)}
    assert touching and {each.id for each in dropped} == touching
    assert len(kept) + len(dropped) == 40
    assert {each.reason for each in dropped} == {"duplicate of a held-out document"}


def test_shares_are_nested_and_about_their_size(write_article):
    documents = [write_article(f"d{n}", "x") for n in range(2000)]
    quarter = {d.id for d in documents if in_share(d, {"reuters": 0.25})}
    half = {d.id for d in documents if in_share(d, {"reuters": 0.5})}
    assert quarter < half and abs(len(quarter) - 500) < 60
    assert all(in_share(document, {"sec": 0.01}) for document in documents)


def test_a_limit_keeps_the_smallest_hashes_whatever_the_order(write_article):
    documents = [write_article(f"d{n}", "x") for n in range(50)]
    for order in (documents, documents[::-1]):
        limit = Limit(7, seed=3)
        gone = [over for document in order if (over := limit.add(document))]
        assert sorted(ids(limit.documents)) == sorted(sorted(ids(documents), key=lambda id: place(id, 3))[:7])
        assert len(gone) == 43
