"""The model card beside each adapter: what it is, on what, from what, how well; no times, no paths."""

from collections.abc import Mapping
from typing import Any

from finground.lm.ledger import Trained

TITLES = {"lora": "LoRA adapter", "soft prompt": "Soft prompt (prompt tuning)", "full": "Fully trained model"}
LIMITS = """\
It says what is likely, not what is so: numbers in its text are to be checked against the facts that were
given to it. It learnt from the rows above alone; its licence is that of its base and of those rows."""


def text(about: Mapping[str, Any], done: Trained) -> str:
    """README.md of an adapter, out of its manifest and its training."""
    method = str(about["method"])
    lines = [
        "---", "library_name: peft", "pipeline_tag: text-generation",
        f"tags: [finance, {method.replace(' ', '-')}]", "---", f"# {TITLES[method]}", "",
        f"Made by finground out of the base with digest `sha256:{about['base_digest']}`.", "",
        "## Training", "", *_training(about, done), "", "| setting | value |", "|---|---|",
        *(f"| {name} | {value} |" for name, value in sorted(about["settings"].items())), "",
        "| library | version |", "|---|---|",
        *(f"| {name} | {value} |" for name, value in sorted(about["libraries"].items())), "",
        "## Limits", "", LIMITS,
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _training(about: Mapping[str, Any], done: Trained) -> list[str]:
    books, first, last = done.ledger, done.curve[0][1], done.curve[-1][1]
    dropped = [
        f"{name.partition('.')[2]} {count}"
        for name, count in sorted(books.items())
        if name.startswith("documents_dropped.")
    ]
    lines = [
        f"- {books['documents_trained']} rows in all passes, {books['tokens_trained']} tokens, of which "
        f"{books['tokens_labelled']} labelled; left out: {', '.join(dropped) or 'none'}",
        f"- rows: `sha256:{about['data_digest']}`; seed {about['seed']}; {done.steps} steps",
        f"- base in {about['dtype']}, {about['four_bit_modules']} of its layers in 4 bits (NF4)",
        f"- loss of a labelled token: {first:.4f} at the first step, {last:.4f} at the last",
    ]
    if done.validation:
        step, best = min(done.validation, key=lambda point: point[1])
        lines.append(f"- on rows held aside: {best:.4f}, after step {step}, whose weights these are")
    return lines
