"""The frozen card in the user's units: it scores, explains and exports itself without training.

The names below are loaded when they are first asked for.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "card": ["RiskCard"],
        "card_json": ["load_card", "save_card"],
        "origin.certificate": ["Certificate", "TrainingFacts"],
        "rows.explain": ["Explanation"],
        "feature_points": ["FeaturePoints", "LevelPoints"],
        "lines": ["Line", "LineKind"],
        "origin.recipe": ["Recipe"],
    },
)
