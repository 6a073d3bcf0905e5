"""Each format as its source delivers it: packed or plain, whole or broken, with encodings and zones."""

import csv
import gzip
import io
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from finground.core.errors import InputError
from finground.corpus import feeds, filings, newsml, tables
from finground.corpus.files import found, lines, opened
from finground.corpus.markup import readable, unwrapped
from finground.corpus.moments import moment
from finground.records.document import Document, Dropped
from finground.settings import Source

COLUMNS = {"published_at": "when", "text": "story", "title": "head", "id": "key"}
NEWS = Source(name="news", files="*", read="newsml")


def table(kind: str, **more) -> Source:
    return Source.model_validate({"name": "bank", "files": "*", "read": kind, "columns": COLUMNS, **more})


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)


@pytest.mark.parametrize("packing", ["", ".gz", ".zst"])
def test_plain_gzip_and_zstandard_read_alike_and_damage_is_named(tmp_path: Path, packing: str):
    text = "".join(f"line {number}\n" for number in range(50_000)).encode()
    path = tmp_path / f"a.txt{packing}"
    packed = {"": text, ".gz": gzip.compress(text), ".zst": pa.compress(text, "zstd", asbytes=True)}[packing]
    path.write_bytes(packed + (packed if packing else b""))
    assert sum(1 for _ in lines(str(path))) == (100_000 if packing else 50_000), (
        "two frames in one file are one text"
    )
    if packing:
        for damaged in (packed[: len(packed) // 2], b"not packed at all", packed[:-1], packed + packed[:100]):
            path.write_bytes(damaged)
            with pytest.raises(InputError, match=r"a\.txt\.(gz|zst) is not a whole (gzip|zstd) file"):
                list(lines(str(path)))


def test_files_are_found_and_read_wherever_fsspec_reaches(tmp_path: Path):
    import fsspec

    with fsspec.open("memory://bucket/news/b.jsonl", "w") as out:
        out.write('{"when": "2012-01-02T10:00:00Z", "story": "It rose.", "head": "Up", "key": 7}\n')
    ((place, size),) = found("memory://bucket/news/*.jsonl", tmp_path)
    assert size > 0
    (row,) = tables.read(place, table("jsonl"))
    assert row == Document("bank:7", "bank", utc(2012, 1, 2, 10), "Up", "It rose.")
    with pytest.raises(InputError, match="is not there"), opened("memory://bucket/none"):
        pass


def test_csv_rows_with_quotes_newlines_and_other_encodings_are_read_and_broken_ones_counted(tmp_path: Path):
    path = tmp_path / "t.csv"
    out = io.StringIO()
    csv.writer(out).writerows(
        [["key", "when", "head", "story"], ["1", "2012-01-02 09:30:00", "A, B", 'He said\n"up".']]
    )
    path.write_bytes(
        out.getvalue().encode()
        + b"2,2012-01-03 09:30:00,Caf\xe9,It rose\x00.\n3,too,many,cells,here\n4,few\n"
    )
    one, two, three, four = tables.read(str(path), table("csv", zone="America/New_York", licence="theirs"))
    assert one == Document(
        "bank:1", "bank", utc(2012, 1, 2, 14, 30), "A, B", 'He said\n"up".', licence="theirs"
    )
    assert (two.title, two.text) == ("Café", "It rose.")
    assert [three, four] == [Dropped(f"bank:t-{n}", "bank", "broken record") for n in (3, 4)]


def test_parquet_is_read_by_its_columns_and_a_damaged_one_is_named(tmp_path: Path):
    path = tmp_path / "p.parquet"
    rows = {
        "key": [1, 2, 3],
        "when": [utc(2012, 1, 2), None, utc(2012, 1, 4)],
        "story": ["It rose.", "It fell.", None],
    }
    parquet.write_table(pa.table({**rows, "head": ["a", "b", "c"]}), path)
    one, two, three = tables.read(str(path), table("parquet"))
    assert (one.id, one.published_at, one.text) == ("bank:1", utc(2012, 1, 2), "It rose.")
    assert (two.reason, three.text) == ("no date", "c")
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(InputError, match=r"p\.parquet is not a whole Parquet file"):
        list(tables.read(str(path), table("parquet")))


def test_a_json_row_in_latin_1_is_repaired(tmp_path: Path):
    path = tmp_path / "l.jsonl"
    path.write_bytes(
        '{"when": "2012-01-02", "story": "Café\tup", "head": "", "key": "1"}\n'.encode("latin-1")
    )
    (row,) = tables.read(str(path), table("jsonl"))
    assert row.text == "Café\tup"


RCV1 = """<?xml version="1.0" encoding="iso-8859-1" ?>
<newsitem itemid="{id}" id="root" date="1996-08-20" xml:lang="en"><title>MEXICO: Recovery &amp; more</title>
<headline>Recovery &eacute;tonne &amp; more</headline><dateline>MEXICO CITY</dateline>
<text><p>Emerging from  the slump.</p>
<p>Caf\xe9 &quot;sales&quot; rose 5&nbsp;pct &unknown;.</p></text>
<copyright>(c) Reuters Limited 1996</copyright>
<metadata><codes class="bip:countries:1.0"><code code="MEX"></code></codes>
<dc element="dc.date.published" value="1996-08-20"/></metadata></newsitem>"""


def test_rcv1_is_read_out_of_its_daily_zip_and_what_is_no_xml_is_counted(tmp_path: Path):
    path = tmp_path / "19960820.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("2286newsML.xml", RCV1.format(id=2286).encode("latin-1"))
        archive.writestr("2287newsML.xml", RCV1.format(id=2287).encode("latin-1")[:400])
        archive.writestr("2288newsML.xml", b"no xml here")
        archive.writestr("2289newsML.xml", RCV1.format(id=2289).split("<text>")[0].encode() + b"</newsitem>")
    one, two, three, four = newsml.read(str(path), NEWS)
    assert (one.id, one.published_at) == ("news:2286", utc(1996, 8, 20, 23, 59, 59))
    assert one.title == "Recovery étonne & more"
    assert one.text == 'Emerging from the slump.\nCafé "sales" rose 5 pct &unknown;.'
    assert [(each.id, each.reason) for each in (two, three)] == [
        ("news:2287newsML-1", "broken record"), ("news:2288newsML", "broken record")
    ]  # fmt: skip
    assert (four.id, four.text) == ("news:2289", "Recovery étonne & more")
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(InputError, match="is not a whole zip file"):
        list(newsml.read(str(path), NEWS))


NEWSML = """<NewsML><NewsEnvelope><DateAndTime>20040401T120000+0000</DateAndTime></NewsEnvelope>
<NewsItem><Identification><NewsIdentifier><ProviderId>reuters.com</ProviderId><DateId>20040401</DateId>
<NewsItemId>L01{n}</NewsItemId><RevisionId PreviousRevision="0" Update="N">{n}</RevisionId>
</NewsIdentifier></Identification>
<NewsManagement><FirstCreated>20040401T101112+0200</FirstCreated></NewsManagement>
<NewsComponent><NewsLines><HeadLine>Oil rises</HeadLine></NewsLines><ContentItem><DataContent>
<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Oil rose.</p><p>It fell later.</p></body></html>
</DataContent></ContentItem><Property FormalName="RIC" Value="ABC.N"/></NewsComponent></NewsItem></NewsML>"""
G2 = """<newsItem xmlns="http://iptc.org/std/nar/2006-10-01/" guid="tag:reuters.com,2012:L5" version="1">
<itemMeta><versionCreated>2012-03-04T05:06:07.000Z</versionCreated></itemMeta>
<contentMeta><headline>Gold falls</headline><subject qcode="R:GLD.P"/><subject qcode="N2:GOL"/></contentMeta>
<contentSet><inlineXML>
<x:html xmlns:x="http://www.w3.org/1999/xhtml"><x:body><x:p>Gold fell.</x:p></x:body></x:html></inlineXML>
</contentSet></newsItem>"""


def test_newsml_of_both_generations_with_zones_revisions_and_instruments(tmp_path: Path):
    path = tmp_path / "n.xml"
    path.write_text("".join(NEWSML.format(n=n) for n in (1, 2)) + G2)
    by_id = {each.id: each for each in newsml.read(str(path), NEWS)}
    first, second, gold = by_id["news:L011"], by_id["news:L012#2"], by_id["news:tag:reuters.com,2012:L5"]
    assert (first.title, first.text, first.tickers) == ("Oil rises", "Oil rose.\nIt fell later.", ("ABC.N",))
    assert first.published_at == utc(2004, 4, 1, 8, 11, 12)
    assert second.title == "UPDATE: Oil rises"
    assert (gold.text, gold.published_at, gold.tickers) == (
        "Gold fell.",
        utc(2012, 3, 4, 5, 6, 7),
        ("GLD.P",),
    )


RSS = """<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
<title>Business</title><item><title>Oil &amp; gas up</title><link>http://x.test/a?utm_source=rss</link>
<pubDate>Mon, 01 Jun 2015 19:56:00 EDT</pubDate><description>Short.</description>
<content:encoded><![CDATA[<p>Oil rose.</p><p>Gas too, by&nbsp;5%.</p><script>x()</script>]]>
</content:encoded></item>
<item><title>No date</title><link>http://x.test/b</link><description>Text it has.</description></item>
</channel></rss>
<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>Gold down</title><id>tag:1</id>
<link rel="self" href="http://x.test/feed"/><link href="http://x.test/c"/>
<updated>2016-02-03T04:05:06+01:00</updated>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Gold fell.</p></div></content></entry>
</feed>"""


def test_a_feed_is_its_entries_with_dates_in_their_zones(tmp_path: Path):
    path = tmp_path / "feed.xml.gz"
    path.write_bytes(gzip.compress(RSS.encode()))
    source = Source(name="feeds", files="*", read="rss")
    one, two, three = feeds.read(str(path), source)
    assert (one.title, one.text) == ("Oil & gas up", "Oil rose.\nGas too, by 5%.")
    assert one.published_at == utc(2015, 6, 1, 23, 56)
    assert two.reason == "no date"
    assert (three.title, three.text, three.url) == ("Gold down", "Gold fell.", "http://x.test/c")
    assert three.published_at == utc(2016, 2, 3, 3, 5, 6)
    path.write_bytes(gzip.compress(b"<html>rate limit</html>"))
    assert [each.reason for each in feeds.read(str(path), source)] == ["broken record"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mon, 01 Jun 2015 19:56:00 EDT", utc(2015, 6, 1, 23, 56)),
        ("Mon, 01 Jun 2015 19:56:00 BST", utc(2015, 6, 1, 18, 56)),
        ("2015-06-01T19:56:00+02:00", utc(2015, 6, 1, 17, 56)),
        ("2015-06-01 12:00", utc(2015, 6, 1, 16)),  # summer in New York
        ("2015-01-05 12:00", utc(2015, 1, 5, 17)),  # winter
        ("20150601 12:05AM UTC", utc(2015, 6, 1, 0, 5)),
        ("1433116800", utc(2015, 6, 1)),
        ("31-Feb-1987 10:00:00", None),
        ("soon", None),
    ],
)
def test_a_moment_has_the_zone_it_names_or_that_of_its_source(text, expected):
    assert moment(text, "America/New_York") == expected


def test_a_table_of_figures_is_a_line_a_row_and_one_that_lays_out_text_is_text():
    html = """<p>Results:</p><table><tr><td></td><td>2023</td><td></td><td>2022</td></tr>
    <tr><td>Net sales</td><td>$</td><td>1,452.4</td><td>$</td><td>(12</td><td>)</td></tr>
    <tr><td>Growth</td><td>5</td><td>%</td><td>—</td></tr></table>
    <table><tr><td>•</td><td>We sell soap.</td></tr><tr><td>•</td><td>We also sell salt.</td></tr></table>"""
    assert readable(html).split("\n") == [
        "Results:", "2023 | 2022", "Net sales | $1,452.4 | $(12)", "Growth | 5% | —",
        "• We sell soap.", "• We also sell salt."
    ]  # fmt: skip
    assert readable(html, "drop").split("\n") == ["Results:", "• We sell soap.", "• We also sell salt."]


ASCII = """<PAGE>
                           PART I
Item 1.  Business

     The company sells soap and has
sold it since 1950.
     It has 12 plants.

                                    3
<PAGE>
<TABLE>
<CAPTION>
                        1994      1993
<S>                     <C>       <C>
Net sales ..........  $ 1,200   $ 1,100
</TABLE>
Item 2.  Properties
None worth naming, but it
owns some."""


def test_the_hard_wrapped_ascii_of_1995_is_unwrapped_and_its_tables_keep_their_columns(tmp_path: Path):
    path = tmp_path / "0000899681-95-000096.txt"
    path.write_text(f"<DOCUMENT>\n<TYPE>10-K405/A\n<TEXT>\n{ASCII}\n</TEXT>\n</DOCUMENT>\n"
                    "<DOCUMENT>\n<TYPE>EX-27\n<TEXT>\n1 2 3\n</TEXT>\n</DOCUMENT>\n"
                    "<DOCUMENT>\n<TYPE>EX-99.1\n<TEXT>\n"
                    "The company said\nit did well.\n</TEXT>\n</DOCUMENT>")  # fmt: skip
    source = Source(name="sec", files="*", read="edgar")
    items = {each.id.partition("#")[2]: each for each in filings.read(str(path), source)}
    assert items["part-i-item-1"].text.split("\n") == [
        "The company sells soap and has sold it since 1950.", "It has 12 plants.", "1994 | 1993",
        "Net sales | $ 1,200 | $ 1,100"
    ]  # fmt: skip
    assert items["part-i-item-2"].text == "None worth naming, but it owns some."
    assert items["ex-99.1-2"].text == "The company said it did well." and "ex-27-1" not in items
    assert "10-K/A 1995-12-31" in items["part-i-item-1"].title, (
        "only the accession's year is known: at its end"
    )
    dropped = unwrapped(ASCII, lambda line: line.startswith("Item"), "drop")
    assert "1,200" not in dropped and "12 plants" in dropped


@pytest.mark.parametrize(
    ("form", "heading", "key"),
    [
        ("8-K", "Item 2.02. Results of Operations", "item-2.02"),
        ("8-K", "ITEM 5.  OTHER EVENTS", "item-5"),
        ("20-F", "Item 4A. Unresolved Staff Comments", "item-4a"),
        ("20-F", "Item 16K. Cybersecurity", "item-16k"),
        ("10-KSB", "Item 1. Description of Business", "item-1"),
        ("10-Q/A", "Item 3. Defaults", "item-3"),
    ],
)
def test_items_of_every_form_are_found(tmp_path: Path, form: str, heading: str, key: str):
    path = tmp_path / "x.txt"
    path.write_text("<SEC-HEADER>\nFILED AS OF DATE: 20040102\n"
                    "COMPANY CONFORMED NAME:\tSOAP INC\n</SEC-HEADER>\n"
                    f"<DOCUMENT>\n<TYPE>{form}\n<TEXT><html><body><p>Cover words.</p>"
                    f"<p>{heading}</p><p>Said.</p></body></html></TEXT>")  # fmt: skip
    (item,) = [
        each
        for each in filings.read(str(path), Source(name="sec", files="*", read="edgar"))
        if key in each.id
    ]
    assert (item.text, item.published_at) == ("Said.", utc(2004, 1, 2, 23, 59, 59))
    assert item.title.startswith("SOAP INC ")


@pytest.mark.realdata
def test_every_real_submission_comes_out_as_items_or_by_name(real_data: Path):
    source = Source(name="sec", files="sec/full-submission/*", read="edgar")
    read = {
        place.rpartition("/")[2]: list(filings.read(place, source))
        for place, _ in found(source.files, real_data)
    }
    forms = {name: sum(isinstance(each, Document) for each in records) for name, records in read.items()}
    assert forms["0001011438-98-000429.txt.gz"] >= 2
    assert min(count for name, count in forms.items() if name.startswith("10-K")) > 10
    assert [each.reason for each in read["0000899681-95-000096.txt.gz"]] == ["not a 10-K, 10-Q, 8-K or 20-F"]
