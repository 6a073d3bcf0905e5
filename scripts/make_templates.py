"""Write the shipped question templates, composed from the hand-written fragments in `templates/`.

In come bodies (`bodies/*.txt`: what is asked, with the kind of question and what its slots take), frames
(`frames.txt`: ways to put a body into a sentence), settings (`settings.txt`: greetings, circumstances,
closings) and manners (`manner.toml`: slips, short forms, faults); out go 4,000 templates of technology
channels, 500 of advisors and 500 of investors. Same fragments, same bytes.

A body's letter says which frames its grammar fits: Q a direct question, W a clause after "whether", H one
after "tell me", V an order, N a noun phrase, F a jotted search, P and P2 a question about "it" and "them"
after a sentence that names who. In a fragment `{a|b}` is a choice, `<a|b>` is `a` where a date is asked for
and `b` where none is, `~` is where the date may stand.

A template's id names its body (`technology-yes-no-012-3` is the fourth made of body 12 of yes-no.txt), so
that new bodies go at the end of their file.
"""

import json
import random
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent / "templates"
SHIPPED = Path(__file__).parents[1] / "src/finground/context/templates"
WORDS = Path(__file__).parents[1] / "src/finground/catalog/data/ordinary.txt"
SIZES = {"technology": 4000, "advisor": 500, "investor": 500}
KINDS = {
    "yes-no": 0.18, "comparative": 0.18, "open-ended": 0.28, "ranking": 0.10,
    "peers": 0.08, "industry": 0.07, "educational": 0.06, "analysis": 0.05,
}  # fmt: skip
STYLES = {
    "technology": {"chat": 38, "email": 28, "app": 34},
    "advisor": {"advisor": 1},
    "investor": {"investor": 1},
}
# How often a style has a greeting, circumstances before it, a frame around it, a closing, a sign-off.
HABITS = {
    "chat": (0.15, 0.22, 0.5, 0.12, 0.08),
    "email": (0.55, 0.3, 0.85, 0.2, 0.5),
    "app": (0.04, 0.15, 0.5, 0.08, 0),
    "advisor": (0.08, 0.35, 0.7, 0.15, 0),
    "investor": (0.1, 0.35, 0.65, 0.15, 0),
}
DATED = 0.84  # of bodies in which a date may stand
OWN = 0.45  # share of advisors' and investors' templates that use a body of their own
OPENINGS = 30  # most templates that may begin with the same four words
ALIKE = 0.8  # Jaccard over three-word shingles, from which two templates are the same one again
TRIES = 400
GROUPS = frozenset({"company", "ranking", "educational", "analysis"})


@dataclass(frozen=True)
class Fragment:
    """A written piece, and where it fits."""

    text: str
    form: str
    fits: tuple[str, ...] = ()
    record: tuple[tuple[str, object], ...] = ()
    name: str = ""


@dataclass
class Accepted:
    """Templates taken so far; refuses what is too like one of them, or begins like too many."""

    shingles: list[frozenset[str]] = field(default_factory=list)
    words: set[tuple[str, ...]] = field(default_factory=set)
    holding: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    openings: Counter[str] = field(default_factory=Counter)

    def take(self, text: str) -> bool:
        """Whether the text is new; it then counts."""
        mine = shingles(text)
        start = opening(text)
        shared = Counter(index for shingle in mine for index in self.holding.get(shingle, ()))
        alike = any(n / (len(mine) + len(self.shingles[i]) - n) >= ALIKE for i, n in shared.items())
        words = tuple(re.findall(r"\w+", re.sub(r"\[\w+\]", "_", text.casefold())))
        if alike or words in self.words or self.openings[start] >= OPENINGS:
            return False
        self.words.add(words)
        self.openings[start] += 1
        for shingle in mine:
            self.holding[shingle].append(len(self.shingles))
        self.shingles.append(mine)
        return True


def shingles(text: str) -> frozenset[str]:
    """Runs of three words, slots blank; the whole text where it is shorter."""
    words = re.findall(r"[\w'&/]+", re.sub(r"\[\w+\]", "_", text.casefold()))
    return frozenset(" ".join(words[at : at + 3]) for at in range(max(len(words) - 2, 1)))


def opening(text: str) -> str:
    """The first four words, a slot being one."""
    return " ".join(re.findall(r"\[\w+\]|[\w'&/]+", text.casefold().replace("]'s", "]"))[:4])


def bodies() -> list[Fragment]:
    """What can be asked."""
    return [body for path in sorted((HERE / "bodies").glob("*.txt")) for body in _bodies(path)]


def _bodies(path: Path) -> Iterator[Fragment]:
    shared: dict[str, object] = {}
    count = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("@"):
            kind, *rest = line[1:].split()
            shared = {"kind": kind, **_record(rest)}
        else:
            form, text = line.split("|", 1)
            text, _, more = text.partition(";;")
            record = shared | _record(more.split())
            only = str(record.pop("only", ""))
            yield Fragment(text.strip(), form, (only,), tuple(record.items()), f"{path.stem}-{count:03}")
            count += 1


def _record(words: Iterable[str]) -> dict[str, object]:
    """Fields of a template: a need, `peers`, `market`, or `field=value`."""
    found: dict[str, object] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if equals:
            found[name] = int(value) if value.isdigit() else value
        else:
            found |= {name: True} if name in ("peers", "market", "dot") else {"metric": name}
    return found


def _settings(path: Path) -> list[Fragment]:
    """Frames, greetings, circumstances, closings and sign-offs, by form, style and kinds of question."""
    found: list[Fragment] = []
    form, fits = "", tuple[str, ...]()
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("@"):
            form, *rest = line[1:].split()
            fits = tuple(word for part in rest for word in part.split(","))
        else:
            found.append(Fragment(line, form, fits))
    return found


@dataclass(frozen=True)
class Manner:
    """How people write, and what they would not."""

    once: tuple[re.Pattern[str], ...]
    aim: re.Pattern[str]
    unlike: dict[str, re.Pattern[str]]
    advised: dict[str, str]
    slips: dict[str, str]
    short: dict[str, str]

    @classmethod
    def load(cls) -> "Manner":
        """Read `manner.toml`."""
        told = tomllib.loads((HERE / "manner.toml").read_text(encoding="utf-8"))
        once = tuple(re.compile(words, re.IGNORECASE) for words in told["once"])
        unlike = {style: re.compile(words, re.IGNORECASE) for style, words in told["unlike"].items()}
        aim = re.compile(told["aim"], re.IGNORECASE)
        return cls(once, aim, unlike, told["advised"], told["slips"], told["short"])

    def to_adviser(self, text: str) -> str:
        """What a private person asks, as an adviser asks it."""
        for words, other in self.advised.items():
            text = re.sub(rf"\b{words}\b", other, text)
        return text

    def sensible(self, core: str, whole: str, style: str) -> bool:
        """Whether a person of that style would write it so."""
        unlike = style in self.unlike and self.unlike[style].search(core)
        twice = any(len(words.findall(whole)) > 1 for words in self.once)
        return not unlike and not twice and ("sincerely" not in whole or "Dear" in whole)


def kinds_of(kind: str) -> str:
    """The group of kinds for which circumstances, closings and some frames are written."""
    return kind if kind in GROUPS else "company"


@dataclass(eq=False)
class Composer:
    """Puts fragments together, the least used body first."""

    rng: random.Random
    bodies: list[Fragment]
    around: list[Fragment]
    manner: Manner
    accepted: Accepted = field(default_factory=Accepted)
    used: Counter[tuple[str, str]] = field(default_factory=Counter)

    def channel(self, channel: str, size: int) -> list[dict[str, object]]:
        """So many templates of a channel, kinds in proportion, sorted by id."""
        made = [
            self.template(channel, kind) for kind, share in KINDS.items() for _ in range(round(size * share))
        ]
        return sorted(made, key=lambda record: str(record["id"]))

    def template(self, channel: str, kind: str) -> dict[str, object]:
        """One more template of that kind."""
        for _ in range(TRIES):
            style = self.rng.choices(*zip(*STYLES[channel].items(), strict=True))[0]
            body = self._body(channel, kind, style)
            text = self.text(body, style, kind)
            if text and self.accepted.take(text):
                count = self.used[channel, body.name]
                self.used[channel, body.name] += 1
                return self._record(channel, body, text, count)
        raise SystemExit(f"{channel} {kind}: nothing new in {TRIES} tries; write more bodies or frames")

    def _body(self, channel: str, kind: str, style: str) -> Fragment:
        forms = "QWHVNPP2" + ("F" if style in ("chat", "app") else "")
        of_kind = [b for b in self.bodies if dict(b.record)["kind"] == kind and b.form in forms]
        own = [body for body in of_kind if body.fits == (channel,)]
        common = [body for body in of_kind if body.fits == ("",)]
        pool = own if own and self.rng.random() < OWN else common
        some = self.rng.sample(pool, min(len(pool), 6))
        return min(some, key=lambda body: self.used[channel, body.name])

    def _record(self, channel: str, body: Fragment, text: str, count: int) -> dict[str, object]:
        record = {name: value for name, value in body.record if name != "dot"}
        if "[metrics]" not in text:
            record = {
                name: value for name, value in record.items() if name not in ("metric", "most", "least")
            }
        if record.get("metric") == "any":
            del record["metric"]
        return {"id": f"{channel}-{body.name}-{count}", "channel": channel, "kind": record.pop("kind"),
                "text": text, **record}  # fmt: skip

    def text(self, body: Fragment, style: str, kind: str) -> str:
        """The body in its frame and surroundings; empty where they do not go together."""
        greets, tells, frames, closes, signs = HABITS[style]
        core = self._choose(body.text)
        if style == "advisor" and body.fits == ("",):
            core = self.manner.to_adviser(core)
        about = ""
        if body.form in ("P", "P2"):
            about = self._pick("context1" if body.form == "P" else "context2", style, kind)
            text = core + ("." if dict(body.record).get("dot") else "?")
        elif body.form == "F":
            text = self._framed(core, body.form, style, kind, frames)
            greets = tells = closes = signs = 0
        else:
            about = self._at_times("context", style, kind, tells)
            share = frames / 3 if about else frames
            text = self._framed(core, body.form, style, kind, share)
        if not text:
            return ""
        hello = self._at_times("greeting", style, kind, greets)
        around = self._at_times("closing", style, kind, closes), self._at_times("signoff", style, kind, signs)
        if hello.endswith((",", ":")) and not hello.startswith("Dear") and (first := about or text)[0] != "[":
            lowered = first if re.match(r"I\b", first) else first[0].lower() + first[1:]
            about, text = (lowered, text) if about else (about, lowered)
        whole = " ".join(part for part in (hello, about, text, *around) if part)
        fits = self.manner.sensible(core, whole, style) and not (
            core.startswith("[date]") and (about or hello)
        )
        return self._typed(whole, style) if fits else ""

    def _framed(self, core: str, form: str, style: str, kind: str, share: float) -> str:
        """The body in a frame; at times bare, where it can stand alone."""
        bare = {"Q": "?", "V": "."}
        frame = self._pick(form, style, kind)
        if form in bare and (
            (core.startswith("[date]") and not frame.endswith(": *?")) or self.rng.random() > share
        ):
            return core + bare[form]
        if self.manner.aim.search(frame) and self.manner.aim.search(core):
            return ""
        return re.sub(
            r"\b(pls|please|thx|asap|fast|urgently|right away|quickly)\?", r"\1", frame.replace("*", core)
        )

    def _at_times(self, form: str, style: str, kind: str, share: float) -> str:
        return self._pick(form, style, kind) if self.rng.random() < share else ""

    def _pick(self, form: str, style: str, kind: str) -> str:
        """One of the fragments of that form, for that style and, where they say so, kind."""
        fitting = self._fitting(form, style, kinds_of(kind))
        return self._choose(self.rng.choice(fitting)).strip()

    @cache  # noqa: B019 - one composer lives as long as the program
    def _fitting(self, form: str, style: str, group: str) -> list[str]:
        return [
            piece.text
            for piece in self.around
            if piece.form == form
            and style in piece.fits
            and (group in piece.fits or not GROUPS.intersection(piece.fits))
        ]

    def _choose(self, text: str) -> str:
        """The fragment with every choice made."""
        dated = "[date]" in text or ("~" in text and self.rng.random() < DATED)
        text = text.replace("~", "[date]" if dated and "[date]" not in text else "")
        while inner := re.search(r"\{([^{}]*)\}", text):
            text = text[: inner.start()] + self.rng.choice(inner[1].split("|")) + text[inner.end() :]
        text = re.sub(r"<([^<>|]*)\|([^<>|]*)>", r"\1" if dated else r"\2", text)
        said = self.rng.choices(
            ("[industry] {}", "{} in [industry]", "{} in the [industry] sector"), (14, 2, 4)
        )[0]
        text = re.sub(
            r"\[industry\] (companies|company|stocks|names|firms)", lambda m: said.format(m[1]), text
        )
        return re.sub(r" +([,.;:?!]|$)", r"\1", re.sub(r" {2,}", " ", text)).strip()

    def _typed(self, text: str, style: str) -> str:
        """Typed as in that channel."""
        if style == "chat" or (style == "app" and self.rng.random() < 0.3):
            return self._hasty(text.lower(), 1 if style == "chat" else 0.3)
        text = re.sub(r"\bi\b(?!\.)", "I", text).replace("english", "English")
        return re.sub(r"(^|[.?!] )([a-z])", lambda start: start[1] + start[2].upper(), text)

    def _hasty(self, text: str, haste: float) -> str:
        """Without capitals, with words cut short, a letter wrong now and then, and little punctuation."""
        for word, short in self.manner.short.items():
            if self.rng.random() < 0.25 * haste:
                text = re.sub(rf"(?<![\[\w/'-]){re.escape(word)}(?![\w\]'/-])", short, text)
        present = [word for word in self.manner.slips if re.search(rf"(?<![\[\w]){word}(?!\w)", text)]
        if present and self.rng.random() < 0.14 * haste:
            word = self.rng.choice(present)
            text = re.sub(rf"(?<![\[\w]){word}(?!\w)", self.manner.slips[word], text, count=1)
        if self.rng.random() < 0.18 * haste:
            text = re.sub(r"(\[company\d?\])'s (?=\[metrics\])", r"\1 ", text)
        return text.rstrip("?.") if self.rng.random() < 0.6 else text.rstrip(".")


def ordinary(fragments: Iterable[Fragment], short: Iterable[str]) -> list[str]:
    """The words that questions are made of, as a reader of questions wants to know them; no slips."""
    texts = (re.sub(r"\[\w+\]", " ", fragment.text).lower() for fragment in fragments)
    return sorted(
        {word for text in (*texts, *short) for word in re.findall(r"(?<!['\w])[a-z]{2,}", text.lower())}
    )


def main(folder: Path, words: Path) -> None:
    """Write one JSONL file a channel, and the words of all of them."""
    around = _settings(HERE / "frames.txt") + _settings(HERE / "settings.txt")
    composer = Composer(random.Random(20250630), bodies(), around, Manner.load())
    for channel, size in SIZES.items():
        lines = [json.dumps(record, ensure_ascii=False) for record in composer.channel(channel, size)]
        (folder / f"{channel}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    known = ordinary([*composer.bodies, *around], composer.manner.short.values())
    words.write_text("\n".join(known) + "\n", encoding="utf-8")


if __name__ == "__main__":
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    main(out or SHIPPED, out / WORDS.name if out else WORDS)
