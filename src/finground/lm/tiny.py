"""The tiny base: a byte-level BPE tokenizer and a small Llama, made from the texts handed in.

It knows little, but it is real: every stage trains it, quantises it and generates with it in seconds on a
CPU. The same texts, steps and seed give the same bytes (law 7).
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from finground.core.errors import InputError
from finground.lm import device
from finground.settings import Training

VOCABULARY, CONTEXT = 2000, 2048
BLOCK, TEXTS = 128, 2000  # tokens of a training block; at most so many texts are read
# Spread of initial weights, 1/sqrt(width): at the usual 0.02 a tied head cannot be sure of a rare token.
SPREAD = 0.09
EOS, PAD = "<|end|>", "<|pad|>"


def make(folder: Path, texts: Callable[[], Iterable[str]], *, steps: int, seed: int) -> dict[str, Any]:
    """Fill `folder` with model and tokenizer; returns what the manifest should say.

    Raises:
        InputError: if there are no texts.
    """
    read = list(islice(texts(), TEXTS))
    if not read:
        raise InputError(
            "0 training texts for the tiny base; the raw folder holds no document that training may see"
        )
    device.offline()
    tokenizer = _tokenizer(read)
    with device.seeded(seed):
        model = _model(tokenizer)
    about = _train(model, tokenizer, read, steps, seed) if steps else {}
    model.save_pretrained(str(folder))
    tokenizer.save_pretrained(str(folder))
    return {"texts": len(read), "tiny_steps": steps, **about}


def _tokenizer(texts: list[str]) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=[EOS, PAD], show_progress=False,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
    )  # fmt: skip
    made.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        eos_token=EOS,
        pad_token=PAD,
        model_max_length=CONTEXT,
        clean_up_tokenization_spaces=False,
    )


def _model(tokenizer: Any) -> Any:
    """Two layers, 128 wide; the sides of every linear layer are multiples of NF4's block of 64."""
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=128, intermediate_size=384, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=CONTEXT,
        tie_word_embeddings=True, initializer_range=SPREAD, bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    return LlamaForCausalLM(config)


def _train(model: Any, tokenizer: Any, texts: list[str], steps: int, seed: int) -> dict[str, Any]:
    """Every weight, on blocks of the texts; the ledger goes into the manifest, times do not."""
    from finground.lm.collate import Examples, Kept
    from finground.lm.loop import Job, train
    from finground.lm.loss import Scored

    blocks = list(_blocks(tokenizer, texts))
    examples = Examples([len(block) for block in blocks], [1] * len(blocks), blocks.__getitem__)
    settings = Training(epochs=1 + steps * 8 // len(blocks), max_steps=steps, batch=8, lr=4e-3)
    job = Job("tiny base", tokenizer.pad_token_id, seed)
    with device.seeded(seed):
        trained = train(Scored(model), Kept(examples, ()), settings, job)
    return {"ledger": trained.ledger, "loss": round(trained.curve[-1][1], 4)}


def _blocks(tokenizer: Any, texts: list[str]) -> Iterator[list[int]]:
    """The texts, each ended by EOS, one after the other in blocks; the last block may be short."""
    found = tokenizer.backend_tokenizer.encode_batch(texts)
    stream = [token for one in found for token in (*one.ids, tokenizer.eos_token_id)]
    for start in range(0, len(stream), BLOCK):
        if len(stream) - start > 1:
            yield stream[start : start + BLOCK]
