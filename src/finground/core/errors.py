"""What can go wrong and be mended by a user. Everything else is a bug and flies with its traceback.

FingroundError            exit code 1: a run failed
└── InputError            exit code 2: the user's input is wrong; one sentence: what was found, where, and
    │                     what would be right
    ├── SettingsError     params.yaml
    ├── CatalogError      a company, metric or industry that cannot be resolved, with candidates
    ├── DateError         a phrase that is not a date, or an interval that ends before it starts
    └── RequestError      a written request that cannot be read
"""


class FingroundError(Exception):
    """A run failed; the message is one sentence that says what would mend it."""

    exit_code = 1


class InputError(FingroundError):
    """The user's input is wrong: what was found, where, and what would be right."""

    exit_code = 2


class SettingsError(InputError):
    """params.yaml holds values that cannot be used; every mistake is listed at once."""


class CatalogError(InputError):
    """A name the catalogue cannot resolve; `candidates` are names that are near."""

    def __init__(self, message: str, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.candidates = candidates


class DateError(InputError):
    """A phrase that is not a date or interval."""


class RequestError(InputError):
    """A written request that cannot be read."""
