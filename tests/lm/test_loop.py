import pytest
import torch
from datasets import Dataset

from finground.core.errors import FingroundError, InputError
from finground.lm import base, collate, loop
from finground.lm.loss import Scored
from finground.settings import Training

PAD = 1
JOB = loop.Job("test", PAD, seed=1)


def kept_of(lengths, limit=10_000, prompt=1):
    blocks = Dataset.from_dict({"input_ids": [[2 + (i * 7 + n) % 90 for i in range(n)] for n in lengths]})
    return collate.blocks(blocks, limit)


def full(folder):
    model = base.load(folder, quant="none", dtype="float32").model
    return Scored(model.requires_grad_(True))


def trained_weights(folder, settings, lengths):
    scored = full(folder)
    loop.train(scored, kept_of(lengths), settings, JOB)
    return torch.cat([weight.detach().flatten() for weight in scored.parameters()])


def test_two_batches_accumulated_are_one_batch_of_two(models):
    gradients = []
    for batch, accumulate in ((1, 2), (2, 1)):
        scored = full(models["llama"])
        settings = Training(lr=1e-9, batch=batch, accumulate=accumulate, clip=1e9)
        run = loop._Run.begin(scored, kept_of([4, 400]).examples, settings, JOB)
        for number, indices in enumerate(batches := next(run._steps())):
            run._backward(number, indices, run.examples.labelled([0, 1]))
        assert sorted(index for indices in batches for index in indices) == [0, 1]
        gradients.append(torch.cat([weight.grad.flatten() for weight in scored.parameters()]))
    torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-5)
    assert gradients[0].norm() > 0.1


def balances(books):
    return books["documents_in"] == books["documents_trained"] + books["documents_dropped"] and books[
        "tokens_in"
    ] == sum(books[f"tokens_{where}"] for where in ("trained", "truncated", "dropped", "padded"))


def test_the_ledger_shows_ten_of_a_hundred_over_length_and_balances(models):
    kept = kept_of([5 + index % 3 for index in range(90)] + [40] * 10, limit=20)
    books = loop.train(full(models["bloom"]), kept, Training(lr=1e-4, batch=8), JOB).ledger
    assert (books["documents_in"], books["documents_trained"]) == (100, 90)
    assert books["documents_dropped.too-long"] == 10 and books["tokens_dropped"] == 400
    assert books["tokens_trained"] == sum(5 + index % 3 for index in range(90)) and balances(books)


def test_the_ledger_balances_when_max_steps_ends_the_second_epoch_early(models):
    settings = Training(lr=1e-4, batch=4, accumulate=2, epochs=9, max_steps=4)
    done = loop.train(full(models["bloom"]), kept_of([6] * 20 + [9] * 4), settings, JOB)
    assert done.steps == 4 and len(done.curve) == 4
    assert done.ledger["documents_in"] == 48 and done.ledger["documents_trained"] == 32
    assert done.ledger["documents_dropped.not-reached"] == 16 and balances(done.ledger)


def test_a_loss_that_is_not_finite_fails_the_run(models):
    scored = full(models["bloom"])
    with torch.no_grad():
        next(scored.parameters()).fill_(float("nan"))
    with pytest.raises(FingroundError, match="at step 0 the loss is nan"):
        loop.train(scored, kept_of([6] * 4), Training(lr=1e-4), JOB)


def test_nothing_to_train_on_is_the_users_mistake(models):
    with pytest.raises(InputError, match="0 training rows"):
        loop.train(full(models["bloom"]), kept_of([30], limit=20), Training(lr=1e-4), JOB)


def test_the_learning_rate_warms_up_and_decays():
    assert [loop.pace(step, 5, Training(lr=1, warmup=0.4)) for step in range(5)] == pytest.approx(
        [0.5, 1.0, 0.75, 0.5, 0.25]
    )
    assert loop.pace(0, 1, Training(lr=1)) == 1.0


def test_evaluation_gives_each_example_its_own_loss(models):
    scored = full(models["llama"])
    together = loop.evaluate(scored, kept_of([9, 5, 7]).examples, size=3, pad=PAD)
    alone = [loop.evaluate(scored, kept_of([n]).examples, size=1, pad=PAD)[0] for n in (9, 5, 7)]
    assert [one.tokens for one in together] == [8, 4, 6]
    assert [one.nll_sum for one in together] == pytest.approx([one.nll_sum for one in alone], rel=1e-5)
