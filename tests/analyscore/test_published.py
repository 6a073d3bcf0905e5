"""The published tables as data are what the paper prints, figure for figure."""

import re

import pytest

from finground.analyscore.published import graded, tables
from finground.analyscore.rubric import LEVELS

pytestmark = pytest.mark.realdata
ROW = re.compile(r"^(?P<query>[^\t\n]+)\t(?P<rest>[01](?:\t\d+){5})$", re.M)


def test_the_hundred_rows_of_tables_7_to_9(paper):
    printed = [(row["query"], [int(cell) for cell in row["rest"].split("\t")]) for row in ROW.finditer(paper)]
    ours = [(row.query, [int(row.eligible), *row.points.values(), row.total]) for row in graded()]
    assert len(printed) == 100 and ours == printed


@pytest.mark.parametrize(("name", "head"), [("finsphere_2", r"[\w.\-]+"), ("finsphere_3", r"\d+%")])
def test_tables_2_and_3(paper, name, head):
    row = re.compile(rf"^({head})\t(\d+)%((?:\t\d+\.\d+){{5}})$", re.M)
    printed = [
        (label, int(rate) / 100, *map(float, rest.split("\t")[1:]))
        for label, rate, rest in row.findall(paper)
    ]
    assert [tuple(row.values()) for row in tables()[name]] == printed


def test_the_levels_of_table_5(paper):
    table = paper.partition("Evaluation Dimensions\tSubdimensions")[2].partition("Table 5:")[0]
    printed = [int(points) for points in re.findall(r"\t(\d+)$", table, re.M)]
    assert [level.points for levels in LEVELS.values() for level in levels] == printed
