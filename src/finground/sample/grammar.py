"""A small generative grammar: templates in, sentences out; the same generator state gives the same sentence.

`{name}` is a value, `{RULE}` one of the rule's templates, `{^name}` either of them with a capital first
letter.
"""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SLOT = re.compile(r"\{(\^?)(\w+)\}")


@dataclass(frozen=True, slots=True)
class Grammar:
    """Rules by name; a rule is a list of templates of which one is taken."""

    rules: Mapping[str, Sequence[str]]

    def write(self, template: str, values: Mapping[str, str], rng: random.Random) -> str:
        """The template with every slot filled.

        Raises:
            KeyError: if a slot is neither a value nor a rule.
        """

        def fill(slot: re.Match[str]) -> str:
            capital, name = slot.groups()
            text = values[name] if name in values else self.write(rng.choice(self.rules[name]), values, rng)
            return text[:1].upper() + text[1:] if capital else text

        return SLOT.sub(fill, template)
