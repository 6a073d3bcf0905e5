"""params.yaml as checked values. Whoever reads settings gets all mistakes of the file at once (floor 0)."""

from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from finground.core.errors import SettingsError

Share = Annotated[float, Field(gt=0, le=1)]
Count = Annotated[int, Field(ge=1)]


def _with_a_point(value: object) -> object:
    """DVC names a cell as it is written: `1` would be another cell than `1.0`."""
    if isinstance(value, int) and not isinstance(value, bool):
        raise ValueError(f"it should be written with a point, {float(value)}")
    return value


def _known_zone(name: str) -> str:
    from zoneinfo import ZoneInfo

    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"{name!r} is no time zone; write one like Europe/London") from None
    return name


class Part(BaseModel):
    """A section of params.yaml; unknown keys are mistakes."""

    # a schema is built when a model is first used, not when this module is imported
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Sample(Part):
    """Sizes of the invented world (demo profile only)."""

    companies: Count = 24
    years: Count = 3
    news: Count = 400
    stories: Count = 1200  # longer texts for the corpus, in Reuters SGML
    ends: date = date(2025, 6, 30)


class Snapshot(Part):
    """The moment at which experiments freeze the store."""

    as_of: date


class Base(Part):
    """The base model: `tiny` (made on the spot), `smollm2-135m` (from the package), a folder, or a hub id."""

    name: str
    revision: str = "main"
    dtype: Literal["float32", "bfloat16"] = "float32"
    tiny_steps: int = Field(
        default=0, ge=0
    )  # pretraining steps of the tiny base, which otherwise knows nothing


class Source(Part):
    """Where documents come from: files of one kind, and for tables which column is which of our fields."""

    name: str
    files: str  # a pattern below `raw`, or an address such as s3://bucket/news/*.jsonl.zst
    read: Literal["reuters", "newsml", "jsonl", "csv", "parquet", "edgar", "rss"]
    columns: dict[Literal["id", "published_at", "title", "text", "url", "tickers"], str] = {}
    zone: Annotated[str, AfterValidator(_known_zone)] = "UTC"  # of times that name none
    tables: Literal["rows", "drop"] = "rows"  # tables of figures in filings
    licence: str = ""

    @model_validator(mode="after")
    def _mapped(self) -> "Source":
        if self.read in ("jsonl", "csv", "parquet") and not {"text", "published_at"} <= self.columns.keys():
            raise ValueError(f"source {self.name} should say in `columns` where text and published_at are")
        return self


class Evaluation(Part):
    """An evaluation set that training must not overlap; `fields` may lead into lists: `paragraphs.text`.

    `by`: a set of one word a row; rows next to each other that are equal in these fields are one text.
    """

    files: str
    read: Literal["jsonl", "json", "csv", "parquet", "xlsx"] = "jsonl"
    fields: tuple[str, ...]
    by: tuple[str, ...] = ()


class Near(Part):
    """Near-duplicates: MinHash over word n-grams, in bands × rows; candidates are checked exactly."""

    jaccard: Share = 0.7  # from which two documents are duplicates
    gram: Count = 5  # words
    bands: Count = 20
    rows: Count = 5


HEADLINES = {"published_at": "ts", "title": "title", "text": "body", "url": "href", "tickers": "matched"}


def real_sources() -> tuple[Source, ...]:
    """Those of the folder that `make real` reads."""
    return (
        Source(name="reuters", files="news/reuters21578/*.sgm*", read="reuters"),
        Source.model_validate(
            {
                "name": "headlines",
                "files": "news/reuters-headlines/*.jsonl*",
                "read": "jsonl",
                "columns": HEADLINES,
            }
        ),
        Source(name="sec", files="sec/10k-html/*.htm*", read="edgar"),
        Source(name="sec", files="sec/10q-html/*.htm*", read="edgar"),
        Source(name="sec", files="sec/full-submission/*", read="edgar"),
    )


class Corpus(Part):
    """What goes into domain pretraining. `shares` by source, as in the paper's 25% of the SEC filings."""

    sources: tuple[Source, ...] = Field(default_factory=real_sources)
    shares: dict[str, Share] = {}
    min_words: Count = 20
    max_words: Count | None = None
    max_documents: Count | None = None
    shard: Count = 20_000  # documents a shard; what a killed run loses at most, for each worker
    block: Count = 256  # tokens
    near: Near = Field(default_factory=Near)
    evaluation: tuple[Evaluation, ...] = ()
    overlap: Count = 13  # words in a row that training must not share with an evaluation set
    keep_rejected: tuple[str, ...] = ("correction",)  # reasons whose texts are kept beside the corpus
    holdout_from: date  # documents from this day on are the by-date evaluation set
    holdout_source: str  # documents of this source are the by-source evaluation set
    holdout_documents: Count = 200  # at most so many in each evaluation set
    holdout_tokens: Count = 4096  # of each of them, from its start


class StopEarly(Part):
    """Training ends when the loss on rows held aside stops falling; the best weights are kept."""

    every: Count  # steps between evaluations
    patience: Count = 3  # evaluations without a better loss
    share: Annotated[float, Field(gt=0, lt=1)] = 0.05  # of the training rows


class Training(Part):
    """What every kind of training takes. A step sees `batch` × `accumulate` rows, over all processes."""

    epochs: Count = 1
    max_steps: Count | None = None
    batch: Count = 4
    accumulate: Count = 1
    lr: float = Field(gt=0)
    schedule: Literal["linear", "cosine", "constant"] = "linear"
    warmup: float = Field(default=0.05, ge=0, lt=1)
    clip: float = Field(default=1.0, gt=0)
    max_tokens: Count = 512
    gradient_checkpointing: bool = False  # activations are computed again, not kept
    save_every: Count = 100  # steps between checkpoints
    stop_early: StopEarly | None = None


class Lora(Training):
    """Low-rank adaptation (Hu et al. 2021) of every linear layer."""

    quant: Literal["nf4", "none"] = "nf4"  # nf4 is QLoRA, none plain LoRA
    rank: Count = 16
    alpha: Count = 32
    dropout: float = Field(default=0.0, ge=0, lt=1)


class Pretrain(Lora):
    """Domain pretraining; `full` trains every weight (tiny models)."""

    method: Literal["lora", "full"] = "lora"
    merge: Literal["full-precision", "dequantised"] = "full-precision"  # what LoRA is merged on
    control: bool = False  # also train plain LoRA in base.dtype and report it beside QLoRA


class PromptTuning(Training):
    """A soft prompt before a frozen base (Lester et al. 2021)."""

    virtual_tokens: Count = 20
    initial_text: str = ""  # what the soft prompt starts from; empty: words drawn from the vocabulary


class AgentTuning(PromptTuning):
    """How the agent is trained, one for each base; rank and alpha are LoRA's."""

    method: Literal["prompt", "lora"] = "prompt"
    rank: Count = 16
    alpha: Count = 32
    form: Literal["sdr", "required", "compact"] = "compact"
    bases: tuple[Literal["plain", "domain"], ...] = Field(default=("plain", "domain"), min_length=1)

    @property
    def lora(self) -> Lora:
        """The same training by LoRA on the base as it is."""
        shared = {name: getattr(self, name) for name in Training.model_fields}
        return Lora(**shared, quant="none", rank=self.rank, alpha=self.alpha)


class Context(Part):
    """Sizes of the Financial Context Dataset, and what share of it is held out."""

    pairs: Count = 50_000
    test_pairs: Count = 10_000
    held_out: Share = 0.2  # of templates, of companies and of metrics
    noise: float = Field(default=0.2, ge=0, le=1)  # share of questions with a slip, other casing or no points
    authors: str | None = None  # CSV of the paper's authors, for the training part; relative to the root


class Stocksis(Part):
    """Sizes of the background/report pairs."""

    pairs: Count = 5_000
    test_companies: Share = 0.2
    one_horizon: bool = False  # take labels that leave out a horizon which there is no data for
    experts: str | None = None  # CSV from `finground stocksis export`, or a folder of them; from the root


class Bench(Part):
    """How much is asked of each system, and how much it may say."""

    questions: Count = 300  # a test part
    reports: Count = 100  # of each held-out part of Stocksis
    paper_questions: Annotated[int, Field(ge=1, le=100)] = 100  # of FinSphere's hundred
    new_tokens: Count = 1024
    batch: Count = 8
    judge: Literal["none", "openai", "local"] = "none"  # who grades what rules cannot decide


class Ablate(Part):
    """The cells of the ablation: fractions of the pairs times seeds."""

    fractions: tuple[Annotated[Share, BeforeValidator(_with_a_point)], ...] = (0.2, 0.5, 0.8, 1.0)
    seeds: tuple[int, ...] = (1, 2, 3)
    reports: Count = 20


class Learning(Part):
    """The agent's learning curve: on which fractions of its pairs it is trained, beside all of them."""

    fractions: tuple[Annotated[Share, Field(lt=1), BeforeValidator(_with_a_point)], ...] = ()


class News(Part):
    """Retrieval (FinBloom, appendix A.4)."""

    k: Count = 20
    threshold: float = Field(default=0.2, ge=-1, le=1)
    index: Literal["store", "elasticsearch"] = "store"  # where vectors of live news lie


class Live(Part):
    """The live store, and what `flows/ingest.py` fetches for it: tickers or CIKs, tickers, feeds."""

    url: str | None = None  # a PostgreSQL; without one data/store/live.db. Passwords: ~/.pgpass or PGPASSWORD
    edgar: tuple[str, ...] = ()
    prices: tuple[str, ...] = ()
    news: tuple[str, ...] = ()


class Endpoint(Part):
    """An OpenAI-compatible endpoint; its key is read from the environment variable named here."""

    url: str
    model: str
    key_variable: str = "OPENAI_API_KEY"


class Settings(Part):
    """The whole of params.yaml."""

    profile: Literal["demo", "small", "paper"]
    seed: int = 7
    track: bool = True
    raw: Path
    sample: Sample | None = None
    snapshot: Snapshot
    base: Base
    corpus: Corpus
    pretrain: Pretrain
    context: Context
    agent: AgentTuning
    stocksis: Stocksis
    writer: Lora
    bench: Bench
    ablate: Ablate
    learning: Learning = Field(default_factory=Learning)
    news: News = Field(default_factory=News)
    store: Live = Field(default_factory=Live)
    endpoint: Endpoint | None = None


def load(path: Path) -> Settings:
    """The settings of a params file.

    Raises:
        SettingsError: one message with every mistake: where, what was found, what would be right.
    """
    import yaml

    if not path.is_file():
        raise SettingsError(f"{path} is not there; `finground init {path.parent}` makes a project root")
    try:
        raw = yaml.load(path.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not YAML: {' '.join(str(error).split())}") from error
    return check(raw, where=str(path))


def check(raw: Any, *, where: str) -> Settings:
    """Settings out of plain values.

    Raises:
        SettingsError: with every mistake at once.
    """
    try:
        return Settings.model_validate(raw)
    except ValidationError as error:
        lines = [_sentence(mistake) for mistake in error.errors()]
        count = "1 mistake" if len(lines) == 1 else f"{len(lines)} mistakes"
        raise SettingsError(f"{where} has {count}: " + "; ".join(lines)) from error


def _sentence(mistake: Any) -> str:
    place = ".".join(str(part) for part in mistake["loc"]) or "the file"
    if mistake["type"] == "missing":
        return f"{place} is missing"
    if mistake["type"] == "extra_forbidden":
        return f"{place} is not a setting"
    return f"{place} is {mistake['input']!r}, but {mistake['msg'][0].lower()}{mistake['msg'][1:]}"
