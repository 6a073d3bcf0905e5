"""The rubric can give what the paper gave and no more; its numbers added up again (PAPERS P1 to P5)."""

from finground.analyscore.published import graded, recomputed, tables
from finground.analyscore.rubric import LINES, MAXIMA, ceiling, possible, violations


def test_the_lines_come_to_a_hundred():
    assert {line: max(possible(line)) for line in LINES} == MAXIMA and sum(MAXIMA.values()) == 100
    assert ceiling(personal=True) == 100


def test_no_report_that_knows_no_reader_exceeds_80():
    assert ceiling(personal=False) == 80


def test_all_hundred_rows_use_points_the_rubric_can_give_and_27_on_content_is_none():
    rows = graded()
    assert len(rows) == 100 and not [row for row in rows if violations(row.points)]
    assert len(violations({"content": 27})) == 1


def test_the_papers_sums_and_means():
    found = {(row.id, row.what): (row.printed, row.recomputed) for row in recomputed()}
    assert ("70.88", "69.88") in found.values() and ("27.16", "26.16") in found.values()
    assert [pair for (id, _), pair in found.items() if id == "P2"] == [("40.05", "45.05")]
    assert ("–", "70.20") in found.values() and ("–", "0 of 100") in found.values()


def test_every_published_table_is_there():
    found = tables()
    assert {len(found["finsphere_2"]), len(found["finsphere_3"]), len(found["finbloom_5"])} == {8, 4, 25}
    columns = {
        name: sum(row[name] for row in found["finbloom_5"]) / 25 for name in ("FinMA 7B", "FinBloom 7B")
    }
    assert {name: round(mean, 4) for name, mean in columns.items()} == {
        "FinMA 7B": 0.3224,
        "FinBloom 7B": 0.3464,
    }
    assert [row["BLEU"] for row in found["finbloom_7"]] == [0.8752, 0.9614]
    assert found["finbloom_8"][0]["F1"] == 0.7674 and found["finbloom_6"][1]["evaluation loss"] == 0.0076
