"""A round of ingest: what it fetches and in which order, and how often it comes."""

from pathlib import Path

import pytest
import yaml

from finground.store.fetch import SOURCES


@pytest.fixture
def rounds(flows: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """The flow's module with its tasks noted and not run, over a root that names what to fetch."""
    import ingest

    params = yaml.safe_load((flows.parent / "params.yaml").read_text())
    params["store"] = {"edgar": ["AAA"], "prices": ["AAA", "BBB"], "news": []}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params))
    done: list[tuple[str, ...]] = []

    def fetch(root: str, source: str, names: tuple[str, ...]) -> None:
        if source == "edgar":
            raise ingest.CommandFailed("EDGAR_IDENTITY is not set")
        done.append((source, *names))

    monkeypatch.setattr(ingest, "fetch", fetch)
    monkeypatch.setattr(ingest, "read_new", lambda root: done.append(("ingest",)))
    monkeypatch.setattr(ingest, "leave_lag", lambda root: done.append(("lag",)))
    return ingest, str(tmp_path), done


def test_a_round_fetches_what_params_name_and_then_reads(rounds):
    ingest, root, done = rounds
    ingest.round_of(root, ["quotes", "news"])
    assert done == [("quotes", "AAA", "BBB"), ("ingest",), ("lag",)]


def test_a_source_that_fails_keeps_no_other_out_and_fails_the_round_at_its_end(rounds):
    ingest, root, done = rounds
    with pytest.raises(ingest.CommandFailed, match="EDGAR_IDENTITY is not set"):
        ingest.round_of(root, ["edgar", "prices"])
    assert done == [("prices", "AAA", "BBB"), ("ingest",), ("lag",)]


def test_prices_and_news_come_every_half_hour_and_fundamentals_daily(flows: Path):
    described = yaml.safe_load((flows.parent / "prefect.yaml").read_text())["deployments"]
    of_ingest = [row for row in described if row["entrypoint"] == "flows/ingest.py:ingest"]
    paces = {row["parameters"]["sources"]: row["schedules"][0]["cron"] for row in of_ingest}
    assert paces == {"quotes,news": "*/30 * * * *", "edgar,prices,snapshots": "15 6 * * *"}
    assert {one for sources in paces for one in sources.split(",")} <= set(SOURCES)
    assert all(row["concurrency_limit"]["limit"] == 1 for row in of_ingest)
