"""Fits of outcomes other than yes or no: the options, the target as they mean it, and the fit."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from riskcard.cli.given import given, parameters_of_rates
from riskcard.cli.rows.labels import texts_of
from riskcard.cli.times import require_english_kind, require_yes_or_no_options
from riskcard.data.files.wanted_columns import Kind, as_number
from riskcard.errors import DataError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from riskcard.cli.rows.training import Training
    from riskcard.data.columns import FeatureValues
    from riskcard.estimators.card_pool import CardPool
    from riskcard.estimators.cross_validation.rate_size import TermsChoice
    from riskcard.model.card import RiskCard

#: Options that need another one, and the values of that.
_NEEDED = {
    "exposure": ("outcome", "count"),
    "levels": ("outcome", "levels"),
    "competing": ("time", None),
}


class Target(NamedTuple):
    """What the target says of each row.

    Attributes
    ----------
    is_event
        Whether the row has the event; of numbers and levels, whether it is in the upper half.
    classes
        What not to have it, and to have it, is called.
    values
        The number, the count or the level; None for yes or no.
    is_competing
        Whether the row has a competing event; None without such events.
    words
        What the outcome is; None for yes or no.
    """

    is_event: NDArray[Any]
    classes: tuple[Any, Any]
    values: NDArray[Any] | None = None
    is_competing: NDArray[Any] | None = None
    words: str | None = None


def require_outcome(options: Namespace) -> None:
    """Refuse options that do not go with ``--outcome``, and those that need it, before rows are read."""
    for name, (needed, value) in _NEEDED.items():
        found = getattr(options, needed)
        if getattr(options, name) and (found is None or value not in (None, found)):
            other = f"--{needed}" if value is None else f"--{needed} {value}"
            raise ParameterError(f"--{name} has no effect without {other}. Give both, or neither.")
    if options.competing and options.event is None:
        raise ParameterError("--competing needs --event, the value of the event itself. Give both.")
    if options.competing and options.entry is not None:
        raise ParameterError(
            "--entry and --competing cannot be used together: the weights of competing events are for rows "
            "that are followed from the start. Leave one of them out."
        )
    if options.outcome is None:
        return
    for name in ("time", "event"):
        if getattr(options, name) is not None:
            raise ParameterError(
                f"--{name} and --outcome cannot be used together. Leave one of them out."
            )
    require_yes_or_no_options(options, "--outcome")
    require_english_kind(options)


def kind_of_target(options: Namespace) -> Kind:
    """How the target is read."""
    return Kind.NUMBER if getattr(options, "outcome", None) in ("number", "count") else Kind.TEXT


def is_other(options: Namespace) -> bool:
    """Whether the values of the target are not those of yes or no; only commands that fit have such options."""
    return any(getattr(options, name, None) for name in ("competing", "outcome"))


def read_other_target(column: FeatureValues, options: Namespace) -> Target:
    """The target as the options mean it, where it is not yes or no."""
    if options.competing:
        return _with_competing(column, options)
    is_ordered = options.outcome == "levels"
    return _of_levels(column, options) if is_ordered else _of_numbers(column, options)


def _of_numbers(column: FeatureValues, options: Namespace) -> Target:
    """Numbers divided at their median, or counts at 0."""
    import numpy as np

    from riskcard.outcomes.words import count_words, number_words

    values, name = column.values, options.target
    if options.outcome == "count":
        _require_counts(values, options)
        return Target(values > 0, (0, 1), values, words=count_words(name, values))
    middle = float(np.median(values))
    is_high = values > middle if middle < values.max() else values == middle
    return Target(is_high, (0, 1), values, words=number_words(name, values))


def _require_counts(counts: NDArray[Any], options: Namespace) -> None:
    """Refuse counts below 0, by the number of the row in the file."""
    if (wrong := counts < 0).any():
        row = int(wrong.argmax())
        raise DataError(
            f"{options.data!r}, column {options.target!r}: the count of row {row + 1} is {counts[row]:g}, which is "
            "negative. Correct such rows, leave them out, or use --outcome number."
        )


def _of_levels(column: FeatureValues, options: Namespace) -> Target:
    """Levels in the order of --levels, or of numbers, divided at the median."""
    import numpy as np

    from riskcard.outcomes.words import level_words

    texts = texts_of(column)
    order = options.levels
    if not order:
        numbers = sorted({as_number(text) for text in texts}, key=str)
        if any(isinstance(one, str) for one in numbers):
            raise DataError(
                f"The target {options.target!r} has texts such as {texts[0]!r}, whose order is not known. "
                "Give them with --levels, from the lowest to the highest."
            )
        order = [f"{one:g}" for one in sorted(numbers)]
        texts = [f"{as_number(text):g}" for text in texts]
    unknown = sorted(set(texts) - set(order))
    if unknown:
        raise DataError(
            f"The target {options.target!r} has the value {unknown[0]!r}, which --levels does not name. Name "
            "all levels, or correct the value."
        )
    place = np.array([order.index(text) for text in texts])[column.codes()]
    values, words = np.array(order, dtype=object)[place], level_words(options.target, order, place)
    return Target(place >= max(1, int(np.median(place))), (0, 1), values, words=words)


def _with_competing(column: FeatureValues, options: Namespace) -> Target:
    """The event, the competing ones, and all other values, which are of rows without any event."""
    import numpy as np

    from riskcard.outcomes.words import competing_words

    texts = texts_of(column)
    for name, wanted in (("event", [options.event]), ("competing", options.competing)):
        missing = [one for one in wanted if one not in texts]
        if missing:
            raise DataError(
                f"--{name} names {missing[0]!r}, but the target {options.target!r} has the values "
                f"{', '.join(map(repr, sorted(texts)[:5]))}. Give one of them."
            )
    if options.event in options.competing:
        raise ParameterError(
            f"{options.event!r} is named by --event and by --competing. Name it once."
        )
    codes = np.array(
        [1 if text == options.event else 2 * (text in options.competing) for text in texts]
    )
    found = codes[column.codes()]
    others = [text for text in texts if text != options.event and text not in options.competing]
    classes = (others[0] if others else f"not {options.event}", options.event)
    words = competing_words(f"{options.target} = {options.event}", found == 1, found == 2)
    return Target(found == 1, classes, None, found == 2, words)


class OtherFit(NamedTuple):
    """What is fitted where the target is not yes or no.

    Attributes
    ----------
    estimator
        That the options ask for.
    y
        The target as it takes it.
    further
        ``entry`` or ``exposure``, where there is one: as arguments of ``fit``.
    """

    estimator: Any
    y: Any
    further: dict[str, Any]


def is_other_fit(options: Namespace) -> bool:
    """Whether the target is a time, a count, a number or a level."""
    return options.time is not None or options.outcome is not None


def other_fit(options: Namespace, training: Training) -> OtherFit:
    """What the options ask for, where they ask for another outcome than yes or no."""
    from riskcard.estimators.other_outcomes.ordinal import RiskScoreOrdinal
    from riskcard.estimators.other_outcomes.regressor import RiskScoreRegressor
    from riskcard.estimators.other_outcomes.survival import RiskScoreSurvival

    parameters = parameters_of_rates(options, training.rules)
    if training.time is not None:
        code = None if training.is_competing is None else 1
        timed = RiskScoreSurvival(horizons=options.horizon, event_of_interest=code, **parameters)
        if code is not None:
            words = [f"{options.target} = {one}" for one in options.competing]
            timed.competing_words = " or ".join(words)
        further: dict[str, Any] = {} if training.entry is None else {"entry": training.entry}
        return OtherFit(timed, _target_of_times(options, training), further)
    values = training.values
    assert values is not None
    if options.outcome == "levels":
        levels = options.levels or sorted(set(values), key=float)
        return OtherFit(RiskScoreOrdinal(levels=levels, **parameters), values, {})
    loss = "poisson" if options.outcome == "count" else "squared_error"
    exposed = training.exposure
    further = {} if exposed is None else {"exposure": {options.exposure: exposed}}
    return OtherFit(RiskScoreRegressor(loss=loss, **parameters), values, further)


def _target_of_times(options: Namespace, training: Training) -> NDArray[Any]:
    """Events and times as the estimator takes them."""
    import numpy as np

    has_codes = training.is_competing is not None
    kind = float if has_codes else bool
    target = np.empty(training.is_event.size, dtype=[("event", kind), (options.time, float)])
    target["event"], target[options.time] = training.is_event, training.time
    if training.is_competing is not None:
        target["event"][training.is_competing] = 2
    return target


def with_classes(training: Training, card: RiskCard) -> RiskCard:
    """A card of times with the values of the target; those of other kinds have none."""
    return card if training.time is None else replace(card, classes=training.classes)


def fit_outcome(
    options: Namespace, training: Training, start: RiskCard | None
) -> tuple[RiskCard, CardPool | None]:
    """Learn a card of risks by horizons, rates, numbers or levels, or improve one; and the pool that it is from."""
    estimator, y, further = other_fit(options, training)
    table, further = training.table, {"sample_weight": training.weights, **further}
    if start is not None:
        from riskcard.estimators.existing_card.improve import improve

        changes = given(options, "improve")
        card = improve(start, table, y, estimator=estimator, **changes, **further)
        return with_classes(training, card), None
    if getattr(options, "tolerance", None) is None:
        return with_classes(training, estimator.fit(table, y, **further).card_), None
    from riskcard.estimators.card_pool import find_pool

    pool = find_pool(estimator, table, y, **given(options, "pool"), **further)
    chosen = pool.model if options.choose is None else pool.choose(options.choose)
    return with_classes(training, chosen.card_), pool


def tune_outcome(options: Namespace, training: Training) -> TermsChoice:
    """Choose the size of such a card by its loss on held-out rows."""
    from riskcard.estimators.cross_validation.rate_size import choose_terms

    size = {name: one for name, one in given(options, "size").items() if name != "scoring"}
    division, (estimator, y, further) = training.division, other_fit(options, training)
    return choose_terms(
        estimator, training.table, y, sample_weight=training.weights, groups=division.groups,
        sites=division.sites, time_split=division.is_later, **size, **further,
    )  # fmt: skip
