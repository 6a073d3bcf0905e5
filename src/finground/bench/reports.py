"""Writers scored on their reports: on pairs held out, and on the paper's hundred questions (floor 4).

What counts against data (errors of grounding, dimensions covered, figures right) stands beside AnalyScore. A
failed report scores 0 on all that is good and stays in the denominator (law 5); `n_truncated` counts prompts
that did not fit the model's context, the metric `cut` replies that ran out of tokens.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from finground.analyscore.dimensions import analysed, blocks, figures
from finground.analyscore.judge import judge as read_by
from finground.answer import World, Writer, judge
from finground.bench.cell import Scored, Trial
from finground.bench.compare import Measured, compare
from finground.bench.questions import PART, brief_for, questions
from finground.bench.statistics import mean_and_error
from finground.bench.systems import RULES, System, systems
from finground.catalog.dates import end_of
from finground.core.paths import Root
from finground.records.report import Report, Score, WriterPair
from finground.records.score import KeptReply, ScoreRow
from finground.report.brief import Brief
from finground.report.grounding import check
from finground.report.prompt import prompt
from finground.roles import judge as judge_of
from finground.settings import Settings
from finground.stocksis.build import pairs
from finground.stocksis.pair import brief_of
from finground.stocksis.split import PARTS, Moment, split

TASK_VERSION = 2
CORE_OF = {
    "volume-price": "volume and price", "technical": "technical", "capital-flow": "capital flow",
    "financial": "fundamentals", "fundamental": "fundamentals", "catalysts": "news",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Written:
    """A checked report beside what its writer was given."""

    part: str
    brief: Brief
    report: Report
    prompt: str

    @property
    def failed(self) -> bool:
        return self.report.status == "failed"

    @property
    def truncated(self) -> bool:
        """Whether its prompt lost its beginning (case B3)."""
        return self.failed and "did not fit" in " ".join(self.report.missing)


def score_writers(world: World, root: Root, settings: Settings, commit: str) -> Scored:
    """Every system on pairs held out, and on the paper's questions."""
    held = held_out(root, settings.bench.reports)
    parted = split(
        world.store,
        as_of=end_of(settings.snapshot.as_of),
        test_companies=settings.stocksis.test_companies,
        seed=settings.seed,
    )
    asked = [brief_for(world, one) for one in questions(world, parted, settings.bench.paper_questions)]
    read = [brief for brief in asked if isinstance(brief, Brief)]
    total, answers = Scored(), []
    for system in systems(root, settings):
        trial = Trial(system.name, "report", settings.seed, commit)
        total += score_writer(trial, system.writer, held, world, labels=system.labels, prefix=system.prefix)
        answers.append((system, write(system.writer, [(PART, brief) for brief in read], system.prefix)))
    return total + score_questions(answers, len(asked) - len(read), root, settings, commit)


def held_out(root: Root, most: int) -> dict[str, list[WriterPair]]:
    """At most so many pairs of each test part."""
    return {part: list(pairs(root.stocksis, part))[:most] for part in PARTS[1:]}


def score_writer(
    trial: Trial,
    writer: Writer,
    asked: Mapping[str, Sequence[WriterPair]],
    world: World,
    *,
    labels: str = RULES,
    prefix: str = "",
) -> Scored:
    """One writer on pairs of all parts, written together; `labels` says whom it imitates."""
    briefs = [
        (part, brief_of(world, Moment(pair.company, pair.as_of, part), pair.query))
        for part, held in asked.items()
        for pair in held
    ]
    return score_written(trial, write(writer, briefs, prefix), labels=labels)


def write(writer: Writer, briefs: Sequence[tuple[str, Brief]], prefix: str = "") -> list[Written]:
    """All reports, checked; a writer that can write several at once does."""
    together = getattr(writer, "write_all", None)
    only = [brief for _, brief in briefs]
    reports = list(together(only)) if together else [writer.write(brief) for brief in only]
    return [
        Written(part, brief, check(report, brief), prefix + prompt(brief))
        for (part, brief), report in zip(briefs, reports, strict=True)
    ]


def score_questions(
    answers: Sequence[tuple[System, list[Written]]], unread: int, root: Root, settings: Settings, commit: str
) -> Scored:
    """AnalyScore of all systems on the same questions, by rules and, if params name one, a judge.

    Args:
        unread: questions that the agent could not read; they count for every system.
    """
    scores = [[judge(one.report, one.brief) for one in written] for _, written in answers]
    total, scores = _judged(answers, scores, root, settings)
    measured = []
    for (system, written), given in zip(answers, scores, strict=True):
        trial = Trial(system.name, "analyscore", settings.seed, commit)
        total += score_written(trial, written, given, labels=system.labels, unread=unread)
        values = tuple(measure(one, score) for one, score in zip(written, given, strict=True))
        measured.append(Measured(system.name, system.labels, values))
    return total + Scored(compared=compare(measured, PART, seed=settings.seed))


def _judged(
    answers: Sequence[tuple[System, list[Written]]],
    scores: list[list[Score | None]],
    root: Root,
    settings: Settings,
) -> tuple[Scored, list[list[Score | None]]]:
    """The scores with the judge's marks, and all it was asked and said; unchanged where none is named."""
    if settings.bench.judge == "none":
        return Scored(), scores
    generator, name = judge_of(settings.bench.judge, root, settings)
    texts = [one.report.text for _, written in answers for one in written]
    heard = read_by(generator, name, texts, seed=settings.seed)
    places = iter(range(len(texts)))
    again: list[list[Score | None]] = [
        [None if score is None else heard.score(next(places), score) for score in given] for given in scores
    ]
    kept = [
        KeptReply(name, PART, row.prompt, row.text, row.stop, "" if row.points is not None else "no level")
        for row in heard.readings
    ]
    return Scored(replies=tuple(kept)), again


def score_written(
    trial: Trial,
    written: Sequence[Written],
    scores: Sequence[Score | None] | None = None,
    *,
    labels: str = RULES,
    unread: int = 0,
) -> Scored:
    """Score rows of each part, and what was said."""
    given = [judge(one.report, one.brief) for one in written] if scores is None else scores
    rows: list[ScoreRow] = []
    for part in dict.fromkeys(one.part for one in written):
        chosen = [(one, score) for one, score in zip(written, given, strict=True) if one.part == part]
        rows += _part_rows(trial, part, chosen, labels, unread)
    kept = [
        KeptReply(trial.system, one.part, one.prompt, one.report.text, " ".join(one.report.stops))
        for one in written
    ]
    return Scored(tuple(rows), tuple(kept))


def _part_rows(
    trial: Trial, part: str, chosen: Sequence[tuple[Written, Score | None]], labels: str, unread: int
) -> list[ScoreRow]:
    measured = [measure(one, score) for one, score in chosen]
    failed = unread + sum(one.failed for one, _ in chosen)
    truncated = sum(one.truncated for one, _ in chosen)
    rows = []
    for metric in measured[0]:
        value, error = mean_and_error([values[metric] for values in measured] + [0.0] * unread)
        counts = (len(chosen) + unread, failed, truncated, trial.seed, trial.commit, labels)
        rows.append(ScoreRow(trial.system, trial.task, TASK_VERSION, part, metric, value, error, *counts))
    return rows


def measure(one: Written, score: Score | None) -> dict[str, float]:
    """What counts in one report; a failed one scores 0 on all that is good and keeps its errors."""
    good = score is not None and not one.failed
    criteria = {} if score is None else {row.name: float(row.passed and good) for row in score.criteria}
    points = {} if score is None else {line: float(value * good) for line, value in score.points.items()}
    given = figures(one.report.text)
    wrong = {flaw.text for flaw in one.report.ungrounded}
    right = sum(figure not in wrong for figure in given)
    return {
        "eligible": float(good and score is not None and score.eligible),
        **points,
        "total": sum(points.values()),
        **criteria,
        "ungrounded": float(len(one.report.ungrounded)),
        "figures_right": right / len(given) if given and good else 0.0,
        "coverage": _coverage(one) if good else 0.0,
        "words": float(len(one.report.text.split())),
        "cut": float("length" in one.report.stops),
    }


def _coverage(one: Written) -> float:
    """The share of core dimensions with findings that the report analyses."""
    found = {CORE_OF[row.tool] for row in one.brief.findings}
    told = set(analysed(blocks(one.report.text)))
    return len(found & told) / len(found) if found else 1.0
