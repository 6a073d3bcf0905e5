"""The only place that spells where an artifact lies under a project root."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Root:
    """A project root: the folder that holds params.yaml."""

    folder: Path

    @property
    def params(self) -> Path:
        return self.folder / "params.yaml"

    @property
    def dvc(self) -> Path:
        return self.folder / "dvc.yaml"

    # inputs and the live store -------------------------------------------------------------------
    @property
    def sample(self) -> Path:
        """Raw files of the invented companies (demo profile)."""
        return self.folder / "data" / "raw"

    @property
    def live(self) -> Path:
        """The live store; append-only, not DVC's."""
        return self.folder / "data" / "store" / "live.db"

    @property
    def ingested(self) -> Path:
        """What the last `ingest` stage read: files, hashes, rows."""
        return self.folder / "data" / "ingest.json"

    # artifacts of stages -------------------------------------------------------------------------
    @property
    def snapshot(self) -> Path:
        return self.folder / "data" / "snapshot"

    @property
    def frozen(self) -> Path:
        """The snapshot's store: what was known at `snapshot.as_of`."""
        return self.snapshot / "store.db"

    @property
    def corpus(self) -> Path:
        return self.folder / "data" / "corpus"

    @property
    def corpus_work(self) -> Path:
        """Steps of the corpus, kept between runs; not DVC's."""
        return self.folder / "data" / "corpus-work"

    @property
    def context(self) -> Path:
        return self.folder / "data" / "context"

    @property
    def stocksis(self) -> Path:
        return self.folder / "data" / "stocksis"

    @property
    def plain(self) -> Path:
        """The plain base model, as a transformers folder."""
        return self.folder / "models" / "plain"

    @property
    def domain(self) -> Path:
        """The domain adaptation: `adapter/` and `merged/`, the latter a transformers folder."""
        return self.folder / "models" / "domain"

    def base(self, kind: str) -> Path:
        """The transformers folder of a base: `plain`, or `domain` for the adapted one."""
        return self.domain / "merged" if kind == "domain" else self.plain

    def agent(self, kind: str) -> Path:
        """The prompt-tuned agent on the base of that kind."""
        return self.folder / "models" / f"agent-{kind}"

    @property
    def writer(self) -> Path:
        return self.folder / "models" / "writer"

    @property
    def results(self) -> Path:
        return self.folder / "results"

    def metrics(self, stage: str) -> Path:
        """The small JSON of counts and scores that DVC shows as a stage's metrics (`agent@plain` too)."""
        return self.results / "metrics" / f"{stage.replace('@', '-')}.json"

    def curve(self, stage: str) -> Path:
        """The loss by step of a training stage, for plots."""
        return self.results / "curves" / f"{stage}.csv"

    @property
    def scores(self) -> Path:
        return self.results / "bench.jsonl"

    @property
    def comparisons(self) -> Path:
        """Systems of the benchmark against one another."""
        return self.results / "comparisons.jsonl"

    def replies(self, stage: str) -> Path:
        """What models said in `bench`, or in an ablation cell, with their prompts."""
        return self.results / "replies" / f"{stage.replace('@', '-')}.jsonl"

    @property
    def plots(self) -> Path:
        return self.results / "plots"

    def ablation(self, cell: str) -> Path:
        """Score rows of one ablation cell, `0.5-1`: half of the pairs, seed 1."""
        return self.results / "ablate" / f"{cell}.jsonl"

    def learning(self, fraction: str) -> Path:
        """Score rows of the agent that was trained on this fraction of its pairs."""
        return self.results / "learning" / f"{fraction}.jsonl"

    @property
    def table(self) -> Path:
        return self.results / "table.md"

    @property
    def tracker(self) -> Path:
        return self.folder / "mlflow.db"

    @property
    def untold(self) -> Path:
        """Runs that MLflow has not been told of yet."""
        return self.folder / ".tracking"

    def training(self, name: str) -> Path:
        """What a training keeps while it is on its way: checkpoints, tokens; not DVC's, and not a result."""
        return self.folder / "models" / ".training" / name.replace("@", "-")

    @property
    def tracked(self) -> Path:
        return self.folder / "mlartifacts"
