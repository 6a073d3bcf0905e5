"""Tools' sentences as a paragraph: sentences in a row about one subject become one; no figure is touched.

"Revenue is 5,047 million USD." and "Revenue is up 17.46% year on year." give "Revenue is 5,047 million USD,
up 17.46% year on year."
"""

from collections.abc import Iterable, Sequence

VERBS = (" is ", " are ")


def flowing(texts: Iterable[str]) -> str:
    """The sentences, those with the same subject in a row joined."""
    groups: list[tuple[str, list[str]]] = []
    for text in texts:
        subject, predicate = _parted(text)
        if groups and subject and groups[-1][0] == subject:
            groups[-1][1].append(predicate)
        else:
            groups.append((subject, [text.rstrip(".") if not subject else f"{subject}{predicate}"]))
    return " ".join(f"{_joined(parts)}." for _, parts in groups)


def _parted(text: str) -> tuple[str, str]:
    """Subject with its verb, and what is said of it; no subject where the sentence has another shape."""
    for verb in VERBS:
        subject, found, predicate = text.rstrip(".").partition(verb)
        if found and "," not in subject and '"' not in text and ";" not in text:
            return f"{subject}{found}", predicate
    return "", text


def _joined(parts: list[str]) -> str:
    """Parts in a row; "and" before the last where all after the first are as short as changes are."""
    if len(parts) > 2 and "," not in parts[-1]:
        return f"{', '.join(parts[:-1])} and {parts[-1]}"
    return ", ".join(parts)


def capital(text: str) -> str:
    """With a capital letter first."""
    return f"{text[0].upper()}{text[1:]}"


def either(items: Sequence[str]) -> str:
    """ "a", "a or b", "a, b or c"."""
    return " or ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def listed(items: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)
