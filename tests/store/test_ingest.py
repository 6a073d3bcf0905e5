"""Raw files into the store: once, whole, in a fixed order; what is damaged is named and not written."""

import gzip
import io
import json
import tarfile
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select
from store_by_hand import HEADER, METRICS, NOW, company_facts, headline, reported, vectors_of, write

from finground.core.errors import InputError
from finground.store import schema
from finground.store.ingest import add, ingest
from finground.store.reader import Store
from finground.store.series import Window, sessions
from finground.store.snapshot import dump

LATER = datetime(2026, 2, 1, tzinfo=UTC)
ALP = "cik:0000000001"


def count(world, table):
    with world.store.reading() as connection:
        return connection.scalar(select(func.count()).select_from(table))


def test_the_same_file_twice_makes_no_new_rows(world):
    before = list(dump(world.store))
    assert world.ingest(LATER).rows == {}
    assert list(dump(world.store)) == before


def test_a_longer_version_of_a_file_adds_only_what_is_new(world):
    path = world.raw / "market/prices/ALP.csv"
    path.write_text(path.read_text() + "2023-07-03,1,1,1,20,20,1\n")
    assert world.ingest(LATER).rows == {"bars": 1}


def test_a_revised_bar_is_a_new_row_beside_the_old_one(world):
    path = world.raw / "market/prices/ALP.csv"
    path.write_text(path.read_text().replace("2023-06-30,10,12,9,14.0", "2023-06-30,10,12,9,14.5"))
    assert world.ingest(LATER).rows == {"bars": 1}
    assert count(world, schema.bars) == 12


def test_a_correction_made_after_as_of_is_not_known(world):
    path = world.raw / "market/prices/ALP.csv"
    path.write_text(path.read_text().replace("2023-06-30,10,12,9,14.0", "2023-06-30,10,12,9,14.5"))
    world.ingest(LATER)

    def close(as_of):
        with world.store.reading() as connection:
            found = sessions(connection, schema.bars, ALP, schema.seconds(as_of), Window(last=1))
        return found.value("close", 0)

    assert close(LATER - timedelta(seconds=1)) == 14.0  # history is recorded late, its first version holds
    assert close(LATER) == 14.5


def test_a_file_that_another_ingest_has_read_meanwhile_is_left(raw, tmp_path, monkeypatch):
    def another_first(files, what):
        monkeypatch.undo()
        with Store.open(tmp_path / "a.db") as other:
            ingest(other, raw, now=NOW, metrics=METRICS, embed=vectors_of)
        return files

    with Store.open(tmp_path / "a.db", create=True) as store:
        monkeypatch.setattr("finground.store.ingest.progress", another_first)
        assert ingest(store, raw, now=NOW, metrics=METRICS, embed=vectors_of).rows == {}


class Killed(BaseException):
    """What a test does instead of kill -9."""


@pytest.mark.parametrize("at", [0, 2, 4, 5, 7, 9, 11, 12, 13])
def test_an_ingest_killed_in_any_file_and_run_again_gives_the_same_store(raw, tmp_path, at, monkeypatch):
    monkeypatch.setattr("finground.store.ingest.add", dying(at))
    with Store.open(tmp_path / "a.db", create=True) as store, pytest.raises(Killed):
        ingest(store, raw, now=NOW, metrics=METRICS, embed=vectors_of)
    monkeypatch.undo()
    for name in ("a.db", "b.db"):
        with Store.open(tmp_path / name, create=True) as store:
            ingest(store, raw, now=NOW, metrics=METRICS, embed=vectors_of)
    with Store.open(tmp_path / "a.db") as once, Store.open(tmp_path / "b.db") as again:
        assert list(dump(once)) == list(dump(again))


def dying(at):
    """Inserts rows `at` times; the next time it dies after it wrote."""
    calls = iter(range(99))

    def insert_and_die(*rows):
        count = add(*rows)
        if next(calls) == at:
            raise Killed
        return count

    return insert_and_die


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("sec/companyfacts/CIK0000000003.json", "<html>Rate limit</html>", "an HTML page"),
        ("sec/companyfacts/CIK0000000003.json", '{"cik": 3, "facts": {"us-', "whole JSON"),
        ("sec/companyfacts/CIK0000000003.json", '{"cik": 3}', "'facts'"),
        ("market/prices/NEW.csv", "Date,Open,High,Low,Close,Volume\n", "line 1: no column Adj Close"),
        ("market/prices/NEW.csv", HEADER + "2023-06-26,1,1,1,1,1,1\n2023-06-27,1,1\n", "line 3: 3 fields"),
        ("market/prices/NEW.csv", HEADER + "26/6/2023,1,1,1,1,1,1\n", "line 2: Date is '26/6/2023'"),
        ("market/prices/NEW.csv", HEADER + "2023-06-26,1,1,1,one,1,1\n", "line 2, Close is 'one'"),
        ("news/reuters-headlines/new.jsonl", headline("20230630 4:30PM UTC", "A") + '{"ts": "2023', "line 2"),
    ],
)
def test_a_damaged_file_is_named_with_its_place_and_nothing_of_it_is_written(world, name, text, said):
    before = list(dump(world.store))
    write(world.raw / name, text)
    with pytest.raises(InputError) as caught:
        world.ingest(LATER)
    assert said in str(caught.value) and name.rsplit("/", 1)[1] in str(caught.value)
    assert list(dump(world.store)) == before


def test_whole_files_before_a_damaged_one_stay_and_are_not_read_again(world):
    def facts(cik):
        rows = [reported(1, "2023-01-01..2023-03-31", "2023-05-01")]
        return company_facts(cik, f"Company {cik}", {"Revenues": rows})

    write(world.raw / "sec/companyfacts/CIK0000000003.json", facts(3))
    damaged = write(world.raw / "sec/companyfacts/CIK0000000004.json", facts(4)[:-9])
    write(world.raw / "sec/companyfacts/CIK0000000005.json", facts(5))
    with pytest.raises(InputError, match=r"CIK0000000004\.json"):
        world.ingest(LATER)
    assert ids(world) >= {"cik:0000000003"} and not ids(world) & {"cik:0000000004", "cik:0000000005"}
    write(damaged, facts(4))
    assert world.ingest(LATER).rows == {"companies": 2, "metric_values": 2}


def test_a_file_that_fails_while_it_is_written_leaves_nothing_of_it(world, monkeypatch):
    before = list(dump(world.store))
    rows = {"Revenues": [reported(1, "2023-01-01..2023-03-31", "2023-05-01")]}
    write(world.raw / "sec/companyfacts/CIK0000000003.json", company_facts(3, "C", rows))
    monkeypatch.setattr("finground.store.ingest.add", dying(1))
    with pytest.raises(Killed):
        world.ingest(LATER)
    assert list(dump(world.store)) == before
    monkeypatch.undo()
    assert world.ingest(LATER).rows == {"companies": 1, "metric_values": 1}


def ids(world):
    return {company.id for company in world.store.companies()}


def test_a_gzip_cut_off_is_named(world):
    path = world.raw / "sec/companyfacts/CIK0000000003.json.gz"
    path.write_bytes(gzip.compress(b"{}" * 500)[:-20])
    with pytest.raises(InputError, match=r"CIK0000000003\.json\.gz is not a whole gzip"):
        world.ingest()


def archive(path, members):
    with tarfile.open(path, "w:xz") as out:
        for name, text in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            out.addfile(info, io.BytesIO(text.encode()))


def test_an_archive_of_price_files_is_read_with_names_from_its_table(world):
    table = "Sector\tSymbol\tCompany\nOil\t$NEW\tNewcomer Limited\n"
    path = world.raw / "market/old_prices.tar.xz"
    archive(path, {"StockTable": table, "raw/NEW.csv": HEADER + "2023-06-26,1,1,1,1,1,1\n"})
    assert world.ingest().rows["bars"] == 1
    assert [c.name for c in world.store.companies() if c.id == "us:NEW"] == ["Newcomer Limited"]


def test_an_archive_cut_off_is_named_and_leaves_nothing(world):
    path = world.raw / "market/old_prices.tar.xz"
    lines = "".join(
        f"2023-{1 + n // 28:02}-{1 + n % 28:02},1,1,1,{n + 1}.{n * 7919 % 997},1,1\n" for n in range(300)
    )
    archive(path, {f"raw/N{n}.csv": HEADER + lines for n in range(4)})
    path.write_bytes(path.read_bytes()[:-400])
    before = list(dump(world.store))
    with pytest.raises(InputError, match="old_prices"):
        world.ingest()
    assert list(dump(world.store)) == before


def test_a_missing_folder_and_one_without_known_files_are_refused(world, tmp_path):
    for folder in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(InputError, match="sec/"):
            ingest(world.store, folder, now=NOW, metrics=METRICS, embed=vectors_of)


def test_what_has_no_layout_we_read_is_skipped_with_a_reason(world):
    write(world.raw / "market/odd.txt", "x")
    write(world.raw / "sec/10k-html/a.html", "x")
    write(world.raw / "sec/companyfacts/.tmp-CIK0000000003.json", '{"cut off')
    skipped = world.ingest().skipped
    assert skipped == {"market/odd.txt": "no layout we read", "sec/10k-html/a.html": "a text for the corpus"}


def test_a_day_without_a_price_is_set_aside_and_is_no_zero(world):
    write(
        world.raw / "market/prices/NEW.csv",
        HEADER + "2023-06-26,null,null,null,null,null,null\n2023-06-27,1,1,1,1,1,1\n",
    )
    read = world.ingest()
    assert (read.quarantined, read.rows["bars"]) == ({"no price": 1}, 1)


def test_tickers_lead_to_the_company_that_bears_or_bore_them(world):
    companies = {company.id: company for company in world.store.companies()}
    assert list(companies) == ["cik:0000000001", "cik:0000000002", "us:GONE"]
    alpha = companies["cik:0000000001"]
    assert (alpha.ticker, [dated.ticker for dated in alpha.tickers]) == ("ALP", ["ALP", "ALP-B", "OLD"])
    assert (companies["us:GONE"].name, alpha.industry) == ("Gone Co", "Chips")
    write(world.raw / "market/prices/OLD.csv", HEADER + "2020-01-02,1,1,1,1,1,1\n")
    world.ingest()
    assert world.store.sessions("cik:0000000001", NOW)[0] == datetime(2020, 1, 2, 21, tzinfo=UTC)


def test_a_former_ticker_of_the_shipped_catalogue_leads_to_todays_company(tmp_path):
    raw = tmp_path / "raw"
    listed = {"0": {"cik_str": 1326801, "ticker": "META", "title": "Meta Platforms, Inc."}}
    write(raw / "sec/company_tickers.json", json.dumps(listed))
    write(raw / "market/prices/FB.csv", HEADER + "2015-01-02,1,1,1,1,1,1\n")
    with Store.open(tmp_path / "s.db", create=True) as store:
        ingest(store, raw, now=NOW, metrics=METRICS, embed=vectors_of)
        assert store.covered(NOW) == ["cik:0001326801"]


def test_a_headline_twice_on_a_day_is_one_item_about_all_it_names(world):
    assert count(world, schema.news) == 2
    assert count(world, schema.news_companies) == 3
    assert world.store.status()["quarantine"] == {"no title or no ts": 1}


def test_rows_of_a_synthetic_folder_say_so(raw, tmp_path):
    (raw / "SYNTHETIC").write_text("invented")
    with Store.open(tmp_path / "s.db", create=True) as store:
        ingest(store, raw, now=NOW, metrics=METRICS, embed=vectors_of)
        assert all(company.synthetic for company in store.companies())
        with store.reading() as connection:
            for table in (schema.metric_values, schema.bars, schema.news):
                assert all(
                    schema.is_synthetic(source) for source in connection.scalars(select(table.c.source))
                )


def test_figures_in_a_second_currency_are_set_aside(world):
    rows = {
        "USD": [("2023-01-01..2023-03-31", 1)] * 1,
        "TWD": [("2023-01-01..2023-03-31", 30), ("2023-04-01..2023-06-30", 31)],
    }
    units = {
        unit: [
            {"start": p[:10], "end": p[12:], "val": v, "accn": "a", "form": "6-K", "filed": "2023-08-01"}
            for p, v in found
        ]
        for unit, found in rows.items()
    }
    facts = {"cik": 3, "entityName": "Three", "facts": {"us-gaap": {"Revenues": {"units": units}}}}
    write(world.raw / "sec/companyfacts/CIK0000000003.json", json.dumps(facts))
    read = world.ingest()
    assert read.rows["metric_values"] == 2
    assert read.quarantined == {"in USD; the company mostly reports in TWD": 1}
