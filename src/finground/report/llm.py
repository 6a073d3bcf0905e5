"""A writer at an OpenAI-compatible endpoint, named in params.yaml; its key comes from the environment (law
10).

It reads FinBloom's enriched query (c, x), or the tools' findings where tools ran, and is checked like any
other.
"""

import os
from typing import Any

from finground.core.errors import FingroundError, SettingsError
from finground.records.report import Report
from finground.report.brief import Brief
from finground.report.enrich import enrich
from finground.report.prompt import prompt
from finground.report.tuned import cut
from finground.settings import Endpoint

TIMEOUT_SECONDS = 120.0
RETRIES = 1


class EndpointWriter:
    """Writes with a model behind HTTP.

    Raises:
        SettingsError: if the key's environment variable is not set.
    """

    def __init__(self, settings: Endpoint) -> None:
        self.settings = settings
        self._key = os.environ.get(settings.key_variable, "")
        if not self._key:
            raise SettingsError(
                f"the environment variable {settings.key_variable} is not set; it holds the key of "
                f"{settings.url} (any text where the endpoint asks for none)"
            )

    def write(self, brief: Brief) -> Report:
        """One report.

        Raises:
            FingroundError: if the endpoint cannot be reached or refuses.
        """
        text, stop = self.ask(prompt(brief) if brief.plan.tools else enrich(brief))
        name, kind, stops = f"endpoint:{self.settings.model}", brief.plan.kind, (stop,)
        sections = cut(text)
        if not sections:
            return Report(kind, (), name, "failed", stops=stops, missing=("the model's reply is empty",))
        if stop == "length":
            return Report(
                kind, sections, name, "partial", stops=stops, missing=("the end: the reply was cut",)
            )
        return Report(kind, sections, name, "complete", stops=stops)

    def ask(self, content: str) -> tuple[str, str]:
        """The reply's text and why it stopped."""
        import openai

        client = openai.OpenAI(
            base_url=self.settings.url, api_key=self._key, timeout=TIMEOUT_SECONDS, max_retries=RETRIES
        )
        try:
            done: Any = client.chat.completions.create(
                model=self.settings.model, messages=[{"role": "user", "content": content}], temperature=0
            )
        except openai.APIStatusError as error:
            raise FingroundError(
                f"{self.settings.url} answered {error.status_code} to a request for model "
                f"{self.settings.model}; check url, model and key in params.yaml's `endpoint`"
            ) from error
        except openai.OpenAIError as error:
            raise FingroundError(
                f"{self.settings.url} cannot be used ({type(error).__name__}); check params.yaml's `endpoint`"
            ) from error
        if not getattr(done, "choices", None):
            raise FingroundError(f"{self.settings.url} answered without `choices`; is it OpenAI-compatible?")
        choice = done.choices[0]
        return choice.message.content or "", "length" if choice.finish_reason == "length" else "eos"
