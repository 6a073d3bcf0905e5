"""Floor -1: errors, paths, artifacts, the log and the tracker. Knows nothing of finance."""
