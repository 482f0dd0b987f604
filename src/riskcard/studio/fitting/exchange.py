"""What the studio and the process that fits hand each other in files: rows, and pseudo-observations.

Arrays and JSON only: nothing that is read back could run.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from riskcard.cli.rows.training import Training
from riskcard.data.columns import FeatureValues
from riskcard.data.files.feature_table import FeatureTable
from riskcard.data.levels import Levels
from riskcard.encoding.pseudo_rows import PseudoRows
from riskcard.estimators.cross_validation.division import Division


def write_training(path: Path, training: Training) -> None:
    """Write what a fit needs to know of the training rows."""
    features = training.table.features
    words = {
        "names": list(features),
        "levels": [
            None if one.levels is None else [list(one.levels.names), one.levels.is_ordered]
            for one in features.values()
        ],
        "classes": list(training.classes),
    }
    given = {"weights": training.weights, "groups": training.division.groups}
    more: dict[str, Any] = {name: array for name, array in given.items() if array is not None}
    values = np.array([one.values for one in features.values()])
    np.savez(path, words=json.dumps(words), values=values, is_event=training.is_event, **more)


def read_training_file(path: Path) -> Training:
    """The training rows again, without rules."""
    with np.load(path, allow_pickle=False) as file:
        words, values, is_event = json.loads(str(file["words"])), file["values"], file["is_event"]
        weights, groups = (file.get(one) for one in ("weights", "groups"))
    features = {
        name: FeatureValues(own, None if levels is None else Levels(tuple(levels[0]), levels[1]))
        for name, levels, own in zip(words["names"], words["levels"], values, strict=True)
    }
    return Training(
        table=FeatureTable(features, is_event.size),
        is_event=is_event,
        weights=weights,
        division=Division(groups),
        classes=tuple(words["classes"]),
        rules=None,
    )


def write_pseudo(path: Path, pseudo: PseudoRows) -> None:
    """Write pseudo-observations."""
    given = {name: getattr(pseudo, name) for name in ("rows", "risks")}
    arrays = {name: array for name, array in given.items() if array is not None}
    np.savez(path, numbers=np.array([pseudo.average, pseudo.smooth]), **arrays)


def read_pseudo(path: Path) -> PseudoRows:
    """The pseudo-observations again."""
    with np.load(path, allow_pickle=False) as file:
        average, smooth = file["numbers"].tolist()
        arrays = {name: file[name] for name in ("rows", "risks") if name in file}
    return PseudoRows(average, smooth, **arrays)
