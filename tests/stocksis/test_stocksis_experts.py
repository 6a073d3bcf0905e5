"""Experts' labels: written out for annotators, read back and checked row by row; the rest by the template."""

import csv
import sys
from pathlib import Path

import pytest
from small_root import copy, run

sys.path.insert(0, str(Path(__file__).parent.parent / "report"))
from finground.core.artifact import manifest, read_json, read_rows
from finground.records.document import Dropped
from finground.records.report import WriterPair
from finground.stocksis.build import build, pairs
from finground.stocksis.pair import EXPERT, TEMPLATE
from finground.stocksis.split import PARTS


@pytest.fixture
def root(walked, tmp_path):
    return copy(walked, tmp_path / "root")


@pytest.fixture
def exported(root, finground, tmp_path):
    """Two moments of each part; where the template has a report, it stands in for an expert's."""
    file = root.folder / "experts.csv"
    assert finground("stocksis", "export", file, "--count", 2, "--root", root.folder).code == 0
    with file.open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    labels = {pair.id: pair.target for part in PARTS for pair in pairs(root.stocksis, part)}
    for row in rows:
        row["report"] = labels.get(row["id"], "")
    return file, rows


def fill(file, rows):
    with file.open("w", newline="") as opened:
        out = csv.DictWriter(opened, rows[0])
        out.writeheader()
        out.writerows(rows)


def test_an_export_holds_what_the_model_will_read_and_an_empty_report(exported, root, finground):
    file, rows = exported
    assert len(rows) == 6 and all(row["background"].endswith("Report:\n") for row in rows)
    assert {row["id"] for row in rows} & {pair.id for pair in pairs(root.stocksis, "train")}
    said = finground("stocksis", "check", file, "--root", root.folder)
    assert (
        said.code == 0 and said.out.startswith("0 of 6 reports are fit") and said.out.count("no report") == 6
    )


def test_what_is_no_label_is_dropped_with_its_reason(exported, root, finground):
    file, rows = exported
    good = next(row for row in rows if row["report"])
    bad = {
        "given twice": good,
        "the background is not the store's": {**good, "background": good["background"] + "More."},
        "neutral language": {**good, "report": good["report"] + " Investors should buy now."},
        "factual support": {**good, "report": good["report"] + " Revenue is 987,654 million USD."},
        "unknown company": {**good, "company": "cik:1"},
        "as_of is no date": {**good, "as_of": "soon"},
        "the id is not of its company and date": {**good, "id": "x@2024-01-01"},
    }
    fill(file, [good, *bad.values()])
    said = finground("stocksis", "check", file, "--root", root.folder)
    assert said.out.startswith("1 of 8 reports are fit")
    reasons = [line.rpartition(": ")[2] for line in said.out.splitlines()[1:]]
    assert [reasons[0], *reasons[4:]] == ["given twice", "unknown company", "as_of is no date", reasons[-1]]
    for at, reason in enumerate(bad):
        if reason not in ("given twice",):
            fill(file, [bad[reason]])
            assert (
                finground("stocksis", "check", file, "--root", root.folder).out.rstrip().endswith(reason)
            ), at


def test_experts_labels_take_the_place_of_the_templates(exported, root, walked):
    file, rows = exported
    fill(file, [row for row in rows if row["report"]] + [{**rows[0], "id": "nobody", "company": "cik:1"}])
    expert = {row["id"] for row in rows if row["report"]}
    import yaml

    params = yaml.safe_load(root.params.read_text())
    params["stocksis"]["experts"] = file.name
    root.params.write_text(yaml.safe_dump(params))
    counted = run(root, "stocksis")["stocksis"]
    made = [pair for part in PARTS for pair in pairs(root.stocksis, part)]
    assert {pair.id for pair in made if pair.labels == EXPERT} == expert
    assert counted["labels.expert"] == len(expert) and counted["rejected.unknown company"] == 1
    assert manifest(root.stocksis)["labels"][EXPERT] == len(expert)
    assert {pair.id for pair in made} == {pair.id for part in PARTS for pair in pairs(walked.stocksis, part)}
    assert [(row.id, row.source) for row in read_rows(root.stocksis / "rejected.jsonl", Dropped)] == [
        ("nobody", EXPERT)
    ]


def test_what_a_spreadsheet_makes_of_line_ends_changes_nothing(exported, root, finground):
    file, rows = exported
    filled = [row for row in rows if row["report"]]
    fill(file, filled)
    file.write_bytes(file.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    said = finground("stocksis", "check", file, "--root", root.folder)
    assert said.out.startswith(f"{len(filled)} of {len(filled)} reports are fit")


def test_a_folder_holds_a_file_of_each_annotator(exported, root, finground):
    _, rows = exported
    folder = root.folder / "labels"
    folder.mkdir()
    said = finground("stocksis", "check", folder, "--root", root.folder)
    assert said.code == 2 and "holds no .csv" in said.sentence
    first, second = [row for row in rows if row["report"]][:2]
    fill(folder / "a.csv", [first])
    fill(folder / "b.csv", [second, first])
    said = finground("stocksis", "check", folder, "--root", root.folder)
    assert said.out.splitlines() == ["2 of 3 reports are fit to be labels", f"  {first['id']}: given twice"]


def test_labels_that_a_part_has_no_room_for_are_counted(exported, root):
    import yaml

    file, rows = exported
    fill(file, [row for row in rows if row["report"]])
    params = yaml.safe_load(root.params.read_text())
    params["stocksis"] |= {"experts": file.name, "pairs": 1}
    root.params.write_text(yaml.safe_dump(params))
    counted = run(root, "stocksis")["stocksis"]
    assert (counted["train"], counted["rejected.train is full"]) == (1, 1)


def test_every_label_is_grounded_and_eligible(walked):
    """But for a horizon of which the tools found nothing; how many those are is counted."""
    from finground.analyscore.score import score
    from finground.records.report import Report
    from finground.report.grounding import check
    from finground.report.tuned import cut
    from finground.roles import open_world
    from finground.settings import load
    from finground.stocksis.pair import brief_of
    from finground.stocksis.split import Moment

    made = [pair for part in PARTS for pair in pairs(walked.stocksis, part)]
    with open_world(walked.frozen, load(walked.params)) as world:
        for pair in made:
            brief = brief_of(world, Moment(pair.company, pair.as_of, pair.part), pair.query)
            report = check(Report("analysis", cut(pair.target), pair.labels, "complete"), brief)
            assert score(report, brief).eligible and not report.ungrounded, pair.id
    assert read_json(walked.metrics("stocksis"))["one_horizon_only"] == 0


def test_a_horizon_may_be_left_out_only_if_params_say_so_and_the_tools_found_nothing_of_it():
    from made_brief import FINDINGS, analysis_brief

    from finground.records.report import Report, Section
    from finground.report.grounding import check
    from finground.stocksis.pair import unfit

    short = (
        "In the short term, attention is suggested. The last price is 25.28 USD, RSI is 80.54 and the DDX is "
        "6.397."
    )

    def reason(brief, one_horizon=True):
        report = check(Report("analysis", (Section("s", short),), "expert", "complete"), brief)
        return unfit(report, brief, one_horizon=one_horizon)

    technical = [row for row in FINDINGS if row.tool not in ("financial", "fundamental")]
    assert reason(analysis_brief(technical)) == ""
    assert reason(analysis_brief(technical), one_horizon=False) == "conclusion structure"
    assert reason(analysis_brief()) == "conclusion structure"


def test_without_experts_every_label_says_whose_it_is(walked):
    made = [pair for part in PARTS for pair in pairs(walked.stocksis, part)]
    assert {pair.labels for pair in made} == {TEMPLATE}
    assert manifest(walked.stocksis)["labels"] == {TEMPLATE: len(made)}


def test_a_file_that_is_no_export_is_one_sentence(root, finground, tmp_path):
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    said = finground("stocksis", "check", tmp_path / "other.csv", "--root", root.folder)
    assert said.code == 2 and "has no column id, company, as_of" in said.sentence
    (tmp_path / "latin.csv").write_bytes("id,company,as_of,question,background,report\né".encode("latin-1"))
    said = finground("stocksis", "check", tmp_path / "latin.csv", "--root", root.folder)
    assert said.code == 2 and "is no CSV in UTF-8" in said.sentence
    said = finground("stocksis", "check", tmp_path / "none.csv", "--root", root.folder)
    assert said.code == 2 and "is not there" in said.sentence


@pytest.mark.slow
def test_any_number_of_processes_makes_the_same_pairs(root, monkeypatch):
    from finground.catalog.dates import end_of
    from finground.settings import load
    from finground.stocksis import build as room

    monkeypatch.setattr(room, "FEW", 0)
    settings = load(root.params)
    made = []
    for workers in (1, 2):
        build(root, settings, as_of=end_of(settings.snapshot.as_of), workers=workers)
        made.append([list(read_rows(root.stocksis / f"{part}.jsonl", WriterPair)) for part in PARTS])
    assert made[0] == made[1]
