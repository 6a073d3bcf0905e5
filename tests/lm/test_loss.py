import pytest
import torch
from made_models import KINDS

from finground.lm import adapter, base, collate, device, loss


@pytest.mark.parametrize("rows", [1, 7, 256])
def test_the_loss_in_chunks_is_the_full_loss_and_has_its_gradients(rows):
    torch.manual_seed(0)
    hidden, weight = torch.randn(50, 16, dtype=torch.float64), torch.randn(40, 16, dtype=torch.float64)
    labels = torch.randint(40, (50,))
    ours = [hidden.float().requires_grad_(), weight.float().requires_grad_()]
    full = [hidden.clone().requires_grad_(), weight.clone().requires_grad_()]
    loss.summed(*ours, labels, rows).backward()
    torch.nn.functional.cross_entropy(full[0] @ full[1].T, labels, reduction="sum").backward()
    for mine, right in zip(ours, full, strict=True):
        torch.testing.assert_close(mine.grad.double(), right.grad, rtol=1e-5, atol=1e-5)


def rows_of(tokenizer):
    prompts = base.encode(tokenizer, ["profit rose in the quarter", "cash"])
    targets = base.encode(tokenizer, [" fell", " margin debt bank 7.5%"], start=False)
    ids = [[*prompt, *target, 0] for prompt, target in zip(prompts, targets, strict=True)]
    return collate.Examples([len(i) for i in ids], [len(p) for p in prompts], ids.__getitem__)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("virtual", [0, 5])
def test_a_batch_scores_what_peft_and_transformers_score_in_full(models, kind, virtual):
    loaded = base.load(models[kind], quant="none", dtype="float32")
    with device.seeded(1):
        model = adapter.soft_prompt(loaded.model, virtual, []) if virtual else loaded.model
    laid = collate.batch(rows_of(loaded.tokenizer), [0, 1], loaded.pad)
    right = model.eval()(input_ids=laid.ids, attention_mask=laid.mask, labels=laid.labels).loss
    count = int((laid.labels != collate.UNLABELLED).sum())
    ours = loss.Scored(model)(laid.ids, laid.mask, laid.labels)
    torch.testing.assert_close(ours / count, right, rtol=1e-5, atol=1e-5)
    if virtual:
        prompt = model.prompt_encoder["default"].embedding.weight
        torch.testing.assert_close(
            torch.autograd.grad(ours / count, prompt)[0],
            torch.autograd.grad(right, prompt)[0],
            rtol=1e-4,
            atol=1e-6,
        )
    with torch.no_grad():
        assert float(
            loss.Scored(model)(laid.ids, laid.mask, laid.labels, by_row=True).sum()
        ) == pytest.approx(float(ours), rel=1e-6)
