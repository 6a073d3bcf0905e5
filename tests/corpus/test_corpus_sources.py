"""Readers: every record comes out, repaired or dropped by name (cases C3 and C5)."""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from finground.core.errors import InputError
from finground.corpus import filings, reuters, sources, tables
from finground.corpus.markup import readable
from finground.corpus.sources import groups, read
from finground.corpus.tables import address
from finground.records.document import Document, Dropped
from finground.settings import HEADLINES, Corpus, Source, real_sources

REUTERS = Source(name="reuters", files="*.sgm", read="reuters")
SEC = Source(name="sec", files="*", read="edgar")
ROWS = Source.model_validate({"name": "headlines", "files": "*", "read": "jsonl", "columns": HEADLINES})

RECORD = (
    '<REUTERS TOPICS="YES" OLDID="9" NEWID="3001">\n<DATE> 9-MAR-1987 04:58:41.12</DATE>\n'
    "<COMPANIES><D>abc</D></COMPANIES>\n<TEXT>&#2;\n<TITLE>CAF\xc9 &lt;ABC> &amp; SONS</TITLE>\n"
    "<DATELINE>    PARIS, March 9 - </DATELINE><BODY>The caf\xe9\nsaid it earned 3 mln.\n"
    "    It gave no\nfurther details.\n Reuter\n&#3;</BODY></TEXT>\n</REUTERS>\n"
)


def records(folder: Path, *parts: str) -> list[Document | Dropped]:
    path = folder / "some.sgm"
    path.write_bytes("".join(parts).encode("latin-1"))
    return list(reuters.read(str(path), REUTERS))


def test_an_sgml_article_is_read_with_its_entities_latin_1_and_wrapping_undone(tmp_path):
    assert records(tmp_path, RECORD) == [
        Document(
            id="reuters:3001",
            source="reuters",
            published_at=datetime(1987, 3, 9, 4, 58, 41, tzinfo=UTC),
            title="CAFÉ <ABC> & SONS",
            text="The café said it earned 3 mln.\nIt gave no further details.",
            tickers=("ABC",),
        )
    ]


def test_an_article_without_a_body_or_a_date_or_an_end_is_dropped_by_name(tmp_path):
    brief = RECORD.replace("<BODY>", "").replace("</BODY>", "").replace("3001", "1")
    headline = brief
    brief = brief.replace("TITLE", "OTHER")
    undated = RECORD.replace("9-MAR-1987", "sometime").replace("3001", "2")
    cut = RECORD[: RECORD.index("It gave")].replace("3001", "3")
    (told,) = records(tmp_path, headline)
    assert (told.title, told.text) == ("", "CAFÉ <ABC> & SONS"), "a headline alone is the text"
    found = records(tmp_path, brief, undated, cut)
    assert [(each.id, each.reason) for each in found] == [
        ("reuters:1", "no body"),
        ("reuters:2", "no date"),
        ("reuters:3", "cut off"),
    ]


def test_a_record_cut_off_in_the_middle_does_not_swallow_the_next(tmp_path):
    found = records(tmp_path, RECORD[:200].replace("3001", "1"), RECORD)
    assert [type(each).__name__ for each in found] == ["Dropped", "Document"]


def test_a_date_whose_hour_is_spoilt_keeps_its_day(tmp_path):
    (found,) = records(tmp_path, RECORD.replace("04:58:41.12", "605:12:19.12"))
    assert found.published_at == datetime(1987, 3, 9, tzinfo=UTC)


def test_a_headline_with_a_body_is_a_document_and_one_without_is_its_own_text(tmp_path):
    rows = [
        {
            "ts": "20150601 11:56PM UTC",
            "title": "A",
            "href": "http://x.test/a",
            "matched": ["GE"],
            "body": "Text.",
        },
        {"ts": "20150601 11:56PM UTC", "title": "B", "href": "http://x.test/b", "matched": []},
        {"title": "C", "href": "http://x.test/c", "matched": [], "body": "Text."},
    ]
    path = tmp_path / "h.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    first, second, third = tables.read(str(path), ROWS)
    assert (first.published_at, first.tickers) == (datetime(2015, 6, 1, 23, 56, tzinfo=UTC), ("GE",))
    assert (second.title, second.text, third.reason) == ("", "B", "no date")


def test_a_broken_line_is_dropped_by_its_number_and_the_others_are_read(tmp_path):
    path = tmp_path / "h.jsonl"
    path.write_text(
        '{"title": \n[1]\n\n{"ts": "2015-06-01", "title": "A", "body": "Text."}\n{"title": "cut o'
    )
    found = list(tables.read(str(path), ROWS))
    assert [(each.id, each.reason) for each in found if isinstance(each, Dropped)] == [
        ("headlines:h-1", "broken record"), ("headlines:h-2", "broken record"),
        ("headlines:h-4", "broken record")
    ]  # fmt: skip
    (row,) = [each for each in found if isinstance(each, Document)]
    assert row.published_at == datetime(2015, 6, 1, 23, 59, 59, tzinfo=UTC), "a bare date is known at its end"


PAGE = """<?xml version='1.0' encoding='ASCII'?>
<html xmlns:ix="x"><head><title/><style>p {}</style></head><body>
<div style="display:none"><ix:header>secret 123</ix:header></div><p>Form 10-K</p>
<table><tr><td>Item 1.</td><td>Business</td></tr><tr><td>Item&#160;7A.</td><td>Risk</td></tr></table>
<p>PART I</p><div><span>Item</span> <span>1.</span>Business</div>
<p>We make <b>so</b>ap&nbsp;&amp; s<i>al</i>t. See Item 7 of this report.</p>
<p>Item 7A. Market risk</p><p>Rates: <ix:nonFraction name="r">5.0</ix:nonFraction>%</p></body></html>"""


def test_html_reads_as_a_person_sees_it():
    assert readable(PAGE).split("\n")[-4:] == [
        "Item 1.Business",
        "We make soap & salt. See Item 7 of this report.",
        "Item 7A. Market risk",
        "Rates: 5.0%",
    ]
    assert "secret" not in readable(PAGE)


def test_a_filing_is_one_document_an_item_and_its_contents_table_is_not_one(tmp_path):
    path = tmp_path / "soap-10-k-2024-02-20.html.gz"
    path.write_bytes(gzip.compress(PAGE.encode()))
    found = list(filings.read(str(path), SEC))
    documents = {each.id: each for each in found if isinstance(each, Document)}
    item = documents["sec:soap-10-k-2024-02-20#part-i-item-1"]
    assert item.text == "We make soap & salt. See Item 7 of this report."
    assert (item.title, item.tickers) == ("SOAP 10-K 2024-02-20: Item 1. Business", ("SOAP",))
    assert item.published_at == datetime(2024, 2, 20, 23, 59, 59, tzinfo=UTC)
    assert documents["sec:soap-10-k-2024-02-20#part-i-item-7a"].text == "Rates: 5.0%"


def test_a_submission_has_its_day_in_the_header_and_only_reports_are_read(tmp_path):
    head = (
        "<SEC-DOCUMENT>1.txt\nFILED AS OF DATE:\t\t19981231\n<DOCUMENT>\n<TYPE>{}\n"
        "<TEXT>\nItem 1. Business\nWe sell.\n</TEXT>"
    )
    for form in ("10-K", "S-3"):
        (tmp_path / f"{form}.txt").write_text(head.format(form))
    (report,) = [each for each in filings.read(str(tmp_path / "10-K.txt"), SEC) if each.id.endswith("item-1")]
    assert (report.text, report.published_at.date().isoformat()) == ("We sell.", "1998-12-31")
    (other,) = filings.read(str(tmp_path / "S-3.txt"), SEC)
    assert other == Dropped("sec:S-3", "sec", "not a 10-K, 10-Q, 8-K or 20-F")


def test_a_damaged_gzip_and_a_missing_folder_are_named(tmp_path):
    folder = tmp_path / "news" / "reuters21578"
    folder.mkdir(parents=True)
    (folder / "a.sgm.gz").write_bytes(gzip.compress(RECORD.encode("latin-1") * 9)[:-20])
    rules = Corpus(holdout_from="2024-01-01", holdout_source="headlines")
    (group,) = groups(tmp_path, rules)
    with pytest.raises(InputError, match=r"a\.sgm\.gz is not a whole gzip file"):
        list(read(group))
    with pytest.raises(InputError, match=r"nowhere is not there"):
        groups(tmp_path / "nowhere", rules)


def test_long_records_make_smaller_chunks(monkeypatch):
    monkeypatch.setattr(sources, "HELD", 100)
    at = datetime(2024, 1, 1, tzinfo=UTC)
    records = [Document(str(n), "sec", at, "", "x" * size) for n, size in enumerate((10, 95, 10, 10, 200, 5))]
    records.insert(3, Dropped("d", "sec", "no date"))
    assert [len(part) for part in sources.parts(records, 3)] == [2, 3, 1, 1]


def test_an_address_keeps_the_page_and_loses_the_tracking():
    assert address("http://X.test/a?p=1") != address("http://x.test/a?p=2")
    assert address("http://x.test/a?p=1&utm_source=q&fbclid=z#top") == address("https://X.test/a/?p=1")


@pytest.mark.slow
@pytest.mark.realdata
def test_all_14_000_real_articles_come_out_as_documents_or_by_name(real_data):
    files = sorted((real_data / "news" / "reuters21578").glob("*.sgm.gz"))
    found = [each for path in files for each in reuters.read(str(path), real_sources()[0])]
    assert len(found) == 1000 * len(files) == len({each.id for each in found})
    assert (
        sum(isinstance(each, Dropped) for each in found) == 405
    )  # unprocessed; 1,065 briefs are their headlines


@pytest.mark.realdata
@pytest.mark.parametrize("name", ["aapl-10-k-2024-11-01", "nflx-10-k-2025-01-27", "pg-10-k-2025-08-04"])
def test_real_annual_reports_are_split_into_their_items(real_data, name):
    found = filings.read(str(real_data / "sec" / "10k-html" / f"{name}.html.gz"), SEC)
    words = {
        each.id.partition("#")[2]: len(each.text.split()) for each in found if isinstance(each, Document)
    }
    assert words["part-i-item-1"] > 1500 and words["part-i-item-1a"] > 5000 and words["part-ii-item-7"] > 2000
