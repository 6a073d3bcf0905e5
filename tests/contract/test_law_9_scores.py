"""Law 9: a score travels with what it takes to judge it."""

import dataclasses

from finground.records.score import ScoreRow


def test_no_score_is_made_without_its_company():
    required = {field.name for field in dataclasses.fields(ScoreRow) if field.default is dataclasses.MISSING}
    assert {"n", "n_unread", "n_truncated", "stderr", "seed", "task_version", "commit", "part"} <= required
