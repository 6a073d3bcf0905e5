"""The endpoint that params.yaml names, as a generator: prompts in, replies out, several at once."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from finground.report.llm import EndpointWriter
from finground.settings import Endpoint


@dataclass(frozen=True, slots=True)
class Said:
    """A reply and why it stopped; an endpoint refuses a prompt that is too long, it cuts none."""

    text: str
    stop: str
    truncated: bool = False


class EndpointGenerator:
    """A model behind HTTP in the place of one of ours.

    Raises:
        SettingsError: if the key's environment variable is not set.
    """

    def __init__(self, settings: Endpoint) -> None:
        self.name = f"endpoint:{settings.model}"
        self._writer = EndpointWriter(settings)

    def reply(
        self,
        prompts: Sequence[str],
        *,
        max_new_tokens: int,  # noqa: ARG002 - a generator of ours takes it too
        batch: int,
    ) -> list[Said]:
        """A reply to each prompt, `batch` asked at once; the endpoint's own limit of tokens holds.

        Raises:
            FingroundError: if the endpoint cannot be reached or refuses.
        """
        with ThreadPoolExecutor(batch) as pool:
            return [Said(text, stop) for text, stop in pool.map(self._writer.ask, prompts)]
