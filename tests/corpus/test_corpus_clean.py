"""Characters repaired, wires' words taken off, useless documents named (case C5)."""

import pytest

from finground.corpus.clean import Cleaned, clean, tidy
from finground.corpus.wire import Version, bare_title, story
from finground.records.document import Dropped


def test_text_is_repaired():
    assert tidy("a\x00b\xad c\u200bd  e\u00a0f\r\n\n\n\n g\x07 ") == "ab cd e f\n\ng"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("\x00 \xad", "empty"),
        ("Only four words here.", "too short"),
        ("Blah blah blah blah blah blah", "boilerplate"),
        ("12.5 13.6 14,000 15,111 16 17 18.9 a b 20,444", "mostly figures"),
        ("Der Umsatz stieg im dritten Quartal um acht Prozent auf einen neuen Wert", "not English"),
    ],
)
def test_useless_text_is_dropped_by_name(text, reason, write_article, settings):
    assert clean(write_article("x", text), settings) == Dropped("x", "reuters", reason)


def test_a_telegraphic_earnings_report_is_english(write_article, settings):
    assert isinstance(
        clean(write_article("x", "Shr 34 cts vs 32 cts\nNet 1.2 mln vs 1.1 mln\nRevs 9 mln"), settings),
        Cleaned,
    )


def test_a_document_of_20_mb_is_taken_whole(write_article, settings):
    text = "The company said that sales rose in the year. " * 450_000
    assert len(clean(write_article("x", text), settings).document.text) == len(text) - 1 > 20_000_000


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("PARIS, March 9 (Reuters) - ", ""),
        ("NEW YORK/LONDON, Jan 3 2012 (Reuters) - ", "\n(Reporting by A. Writer; Editing by B. Editor)"),
        (
            "(Adds details, quotes)\n* Shares up 3 pct\n* Q2 profit 5 mln\nBERLIN (dpa-AFX) - ",
            "\nKeywords: OIL/PRICES",
        ),
        (
            "By Jane Doe and John Roe\nTOKYO, Dec. 1 (Reuters) - ",
            "\n((jane.doe@news.test; +1 646 223 6000))\n\n(c) News 2012",
        ),
        ("RTRS-OIL UP\n", " REUTER"),
        ("", "\n<ABC.N>"),
    ],
)
def test_what_a_wire_puts_around_a_story_is_taken_off(before, behind):
    text = "Oil rose on Monday (Brent above all), the agency <ABC.N> said.\n* It fell later."
    assert story(f"{before}{text}{behind}") == text


@pytest.mark.parametrize(
    ("title", "bare", "version"),
    [
        ("UPDATE 2-Oil rises", "Oil rises", Version.UPDATE),
        ("CORRECTED-UPDATE 1-Oil rises", "Oil rises", Version.CORRECTION),
        ("REFILE-Oil rises", "Oil rises", Version.CORRECTION),
        ("RPT-Oil rises", "Oil rises", Version.UPDATE),
        (
            "SOAP INC 10-K/A 2024-02-20: Item 1. Business",
            "SOAP INC 10-K/A 2024-02-20: Item 1. Business",
            Version.CORRECTION,
        ),
        ("Update on oil", "Update on oil", Version.ORIGINAL),
        ("TEXTILES RISE", "TEXTILES RISE", Version.ORIGINAL),
    ],
)
def test_a_slug_says_which_version_a_story_is(title, bare, version):
    assert bare_title(title) == (bare, version)


def test_running_heads_and_repeated_paragraphs_go_and_figures_stay(write_article, settings):
    page = "Soap Inc Annual Report\nThe company sold soap number {n} in the year, "
    page += "and it will go on to do so for as long as it can.\nPay April 15\n"
    paragraph = (
        "The board said that it would consider the offer of its larger rival with due care this spring.\n"
    )
    numbers = ["one", "two", "three", "four", "five", "six"]
    text = "".join(page.format(n=number) for number in numbers) + 2 * paragraph
    cleaned = clean(write_article("x", text), settings).document.text
    assert cleaned.count("Soap Inc Annual Report") == 1 == cleaned.count(paragraph.strip())
    assert cleaned.count("Pay April 15") == 6 and cleaned.count("The company sold") == 6
    assert clean(write_article("x", paragraph * 9), settings) == Dropped("x", "reuters", "repeats itself")


def test_a_document_over_length_is_dropped_by_name(write_article, settings):
    short = settings.model_copy(update={"max_words": 10})
    assert clean(write_article("x", "The rise of the oil price " * 3), short) == Dropped(
        "x", "reuters", "too long"
    )
