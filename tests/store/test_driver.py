"""Statements compiled once ask what SQLAlchemy asks, on both databases; what is asked never becomes SQL."""

from datetime import date

import pytest
from sqlalchemy import select

from finground.store import schema
from finground.store.chains import Reported
from finground.store.filed import filed
from finground.store.reader import Store

EVER = (date.min, date.max)
ALPHA, BETA = "cik:0000000001", "cik:0000000002"


def test_figures_asked_in_one_statement_are_those_sqlalchemy_reads(world):
    columns = [schema.metric_values.c[name] for name in Reported._fields]
    with world.store.reading() as connection:
        every = {tuple(row) for row in connection.execute(select(*columns))}
        slugs = sorted({row[1] for row in every})
        found = list(filed(connection, [ALPHA, BETA], slugs, EVER, 2**40))
    assert {tuple(row) for row in found} == every
    assert len(found) == len(every) > 8


@pytest.mark.parametrize(
    "ids", [[], [""], ['"]'], [f"{ALPHA}') OR ('1' = '1"], [f"{ALPHA}\\"], [f'{ALPHA}","{BETA}']]
)
def test_ids_that_no_company_has_find_nothing_whatever_is_in_them(world, ids):
    with world.store.reading() as connection:
        assert list(filed(connection, ids, ["total-revenue", "revenue"], EVER, 2**40)) == []


def test_periods_that_ended_outside_the_days_and_later_filings_are_not_read(world):
    with world.store.reading() as connection:
        slugs = ["total-revenue", "revenue"]
        first = list(filed(connection, [ALPHA], slugs, (date(2023, 1, 1), date(2023, 3, 31)), 2**40))
        early = list(filed(connection, [ALPHA], slugs, EVER, 1_685_000_000))  # 25 May 2023
    assert [row.value for row in first] == [100.0] == [row.value for row in early]


def test_postgresql_keeps_the_plan_of_a_statement_from_one_reading_to_the_next(database):
    with Store.open(database, create=True) as store:
        for _ in range(7):  # psycopg prepares what it has run five times
            with store.reading() as connection:
                assert list(filed(connection, [ALPHA], ["revenue"], EVER, 2**40)) == []
        with store.reading() as connection:
            names = connection.exec_driver_sql("SELECT statement FROM pg_prepared_statements").scalars().all()
    assert [name for name in names if "metric_values.company = ANY" in name]
