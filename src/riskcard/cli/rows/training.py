"""The training data that the options ask for: features, target, weights, division, rules."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from riskcard.cli.outcomes import Target, is_other, kind_of_target, read_other_target
from riskcard.cli.remarks import say
from riskcard.cli.rows.labels import choosing, events_of, find_classes
from riskcard.cli.rows.reading import open_data, reading_of
from riskcard.cli.rows.row_division import division_columns, read_division_of, read_limit_groups
from riskcard.cli.times import check_times
from riskcard.data.files.wanted_columns import Kind, Selection, require_columns
from riskcard.data.reading_notes import Topic
from riskcard.data.reading_problems import ReadingProblem, refuse
from riskcard.errors import DataError, ParameterError
from riskcard.parameters import parameters_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from riskcard.cli.rows.held_out_rows import HeldOutRows
    from riskcard.data.columns import FeatureValues
    from riskcard.data.files.feature_table import FeatureTable
    from riskcard.data.files.table_file import TableFile
    from riskcard.data.first_look.data_summary import DataSummary
    from riskcard.data.first_look.identifiers import LeftOut
    from riskcard.data.first_look.repeats import Repeat
    from riskcard.data.reading import Reading
    from riskcard.estimators.cross_validation.division import Division
    from riskcard.rules.card_rules import CardRules

Made = TypeVar("Made")


#: The options that make up rules, next to those of a file.
SETTINGS = tuple(parameters_of("rules"))


@dataclass(frozen=True, slots=True)
class Training:
    """Training data.

    Attributes
    ----------
    table
        The features.
    is_event
        Which rows have the event.
    weights
        One positive weight per row; None without weights.
    division
        Which rows stay together or apart in folds and resamples.
    classes
        The labels in the file: no event, event.
    rules
        The rules for the features of the table; None without rules.
    reading
        How the file was read, for the card; None where it needed no particular reading.
    held_out
        The rows that are kept from the fit; None where there are none.
    limit_groups
        The group of each row, where differences between groups are limited.
    time, entry
        How long each row was followed, and from when on it was at risk; None where that does not matter.
    values, is_competing
        What the target says where it is not yes or no: see ``cli.outcomes.Target``.
    exposure
        What the events of each row were counted in; None for 1.
    summary
        What was read, in a few lines.
    """

    table: FeatureTable
    is_event: NDArray[Any]
    weights: NDArray[Any] | None
    division: Division
    classes: tuple[Any, Any]
    rules: CardRules | None
    reading: Reading | None = None
    held_out: HeldOutRows | None = None
    limit_groups: NDArray[Any] | None = None
    time: NDArray[Any] | None = None
    entry: NDArray[Any] | None = None
    values: NDArray[Any] | None = None
    is_competing: NDArray[Any] | None = None
    exposure: NDArray[Any] | None = None
    summary: DataSummary | None = None

    @property
    def labels(self) -> NDArray[Any]:
        """The label of each row, as the file has it."""
        import numpy as np

        labels: NDArray[Any] = np.array(self.classes)[self.is_event.astype(int)]
        return labels


def read_training(options: Namespace) -> Training:
    """Read the file; refuse or leave out what a card cannot be learned from.

    Parameters
    ----------
    options
        With ``data``, ``target``, ``event``, ``weights``, ``columns``, ``drop``, ``categorical``,
        ``keep_features``, ``rules``, the settings of rules that are given, how files are read, and
        the columns that divide rows, where the command has such options.
    """
    _check_settings(options)
    rules = load_rules(options)
    file = open_data(options)
    problems: list[ReadingProblem] = []
    wanted = _selection(file, options, rules)
    table = file.read(wanted, problems)
    classes = _classes_of(table, options, problems)
    refuse(options.data, problems)

    from riskcard.data.files.feature_table import FeatureTable
    from riskcard.data.files.table_file import kept_reading
    from riskcard.data.first_look.repeats import find_repeats

    features = dict(table.features)
    target = _target_of(features.pop(options.target), options, classes)
    is_event, classes = target.is_event, target.classes
    weights = features.pop(options.weights).values if options.weights else None
    check_weights(options.data, options.weights, weights)
    times = {role: features.pop(name).values for role, name in _time_columns(options).items()}
    exposure = times.pop("exposure", None)
    check_times(options.data, _time_columns(options), times)
    if not features:
        reasons = " ".join(note.text for note in table.notes if note.topic is Topic.LEFT_OUT)
        raise DataError(f"No column of {options.data!r} is left to learn from. {reasons}")
    left_out = _left_out(options, features, frozenset() if rules is None else rules.wanted)
    unused = {one.name for one in left_out}
    kept = {name: one for name, one in features.items() if name not in unused}
    training = Training(
        table=FeatureTable(kept, len(table), table.notes, table.reading),
        is_event=is_event,
        weights=weights,
        division=read_division_of(file, options, options.target, reading_of(options)),
        classes=classes,
        rules=None if rules is None else _of_file(options.rules, lambda: rules.only(kept)),
        reading=kept_reading(table.reading),
        limit_groups=read_limit_groups(file, options, options.target, reading_of(options)),
        time=times.get("time"),
        entry=times.get("entry"),
        values=target.values,
        is_competing=target.is_competing,
        exposure=exposure,
    )
    is_by_time = getattr(options, "hold_out_from", None) is not None
    if is_by_time or getattr(options, "hold_out", None) is not None:
        training = _hold_out(options, training, file, wanted)
    repeats = () if training.division.groups is not None else find_repeats(features)
    summary = _summary_of(training, options, left_out, repeats, target.words)
    _require_variety(options.data, summary)
    if not options.quiet:
        _show(summary)
    return replace(training, summary=summary)


def _summary_of(
    training: Training,
    options: Namespace,
    left_out: tuple[LeftOut, ...],
    repeats: tuple[Repeat, ...],
    outcome_words: str | None,
) -> DataSummary:
    """What was read, and what became of it."""
    from riskcard.data.first_look.data_summary import summarize

    held_out: list[str] = []
    if training.held_out is not None:
        held_out = [training.held_out.in_words, *map(_shared_by_both_parts, repeats)]
    is_timed = training.time is not None or training.entry is not None
    return summarize(
        training.table.features,
        training.is_event,
        training.classes,
        outcome=options.target,
        left_out=left_out,
        repeats=repeats,
        notes=(*held_out, *(note.text for note in training.table.notes)),
        max_terms=options.max_terms if options.command == "fit" else None,
        counts_events=is_timed or getattr(options, "outcome", None) == "count",
        outcome_words=outcome_words,
    )


def _check_settings(options: Namespace) -> None:
    """Refuse, before anything is read, values that do not go together and labels that are wrong."""
    from riskcard.problem.problem import Scale

    if hasattr(options, "scale"):  # bins are made without one
        Scale.parse(options.scale, options.max_log_odds)
    if getattr(options, "labels", None) is not None:
        from riskcard.model.words.labels_file import load_labels

        options.labels = load_labels(options.labels)
    if hasattr(options, "scoring"):
        from riskcard.estimators.cross_validation.scorers import check_scoring

        check_scoring(options.scoring)


def _hold_out(
    options: Namespace, training: Training, file: TableFile, wanted: Selection
) -> Training:
    """Keep a part of the rows from the fit."""
    import numpy as np

    from riskcard.cli.rows.held_out_rows import HeldOutRows
    from riskcard.model.origin.held_out import draw_held_out

    groups, drawn = training.division.groups, training.division.is_later
    amount: tuple[float, int] = (0, 0)
    if getattr(options, "hold_out_from", None) is None:
        amount = options.hold_out, options.random_state
        drawn = draw_held_out(training.is_event, *amount, groups)
    assert drawn is not None
    _require_events(training.is_event[drawn])
    weights = training.weights
    held_out = HeldOutRows(
        features=training.table.take(np.flatnonzero(drawn)).features,
        is_event=training.is_event[drawn],
        weights=None if weights is None else weights[drawn],
        is_held_out=drawn,
        drawn=amount,
        groups=None if groups is None else (options.groups, np.unique(groups[drawn]).size),
        file=file,
        wanted=wanted,
    )
    return replace(
        training,
        table=training.table.take(np.flatnonzero(~drawn)),
        is_event=training.is_event[~drawn],
        weights=None if weights is None else weights[~drawn],
        division=replace(training.division, is_later=None).take(~drawn),
        limit_groups=None if training.limit_groups is None else training.limit_groups[~drawn],
        held_out=held_out,
    )


def _require_events(is_event: NDArray[Any]) -> None:
    """Refuse to hold out rows of one kind only."""
    if is_event.all() or not is_event.any():
        raise DataError(
            f"Of the {is_event.size:,} rows that are held out, {'all' if is_event.all() else 'none'} have the "
            "event, but "
            "a judgement needs both kinds. Hold out from another time on."
        )


def _shared_by_both_parts(one: Repeat) -> str:
    return (
        f"Rows of one {one.name!r} are in both parts, so figures on the held-out rows will be too good: "
        f"--groups {one.name!r} keeps them together"
    )


def _show(summary: DataSummary) -> None:
    """Say what was read, and how to choose otherwise."""
    for line in summary.lines(choosing, "--keep-features COLUMN keeps one", "--groups COLUMN"):
        say(line)


def _classes_of(
    table: FeatureTable, options: Namespace, problems: list[ReadingProblem]
) -> tuple[Any, Any]:
    """The labels of yes or no; what is wrong with them is one more problem of the file."""
    if is_other(options):  # a target that is no number is a problem already, and no column
        return None, None
    column, has_times = table.features[options.target], "time" in _time_columns(options)
    try:
        return find_classes(column, options.target, options.event, has_times=has_times)
    except DataError as error:
        problems.append(ReadingProblem(str(error), ""))
        return None, None


def _target_of(column: FeatureValues, options: Namespace, classes: tuple[Any, Any]) -> Target:
    """What the target says of each row."""
    if is_other(options):
        return read_other_target(column, options)
    return Target(events_of(column, classes, options.target), classes)


def check_weights(path: str, name: str, weights: NDArray[Any] | None) -> None:
    """Refuse weights that are not positive."""
    if weights is None or (weights > 0).all():
        return
    row = int((~(weights > 0)).argmax())
    raise DataError(
        f"{path!r}, column {name!r}: the weight of row {row + 1} is {weights[row]:g}. "
        "Give every row a positive weight, or leave the row out."
    )


def _selection(file: TableFile, options: Namespace, rules: CardRules | None) -> Selection:
    """The columns to read: features, target and weights; those that divide rows are no features."""
    target = options.target
    roles = {target: "the target"}
    if options.weights:
        if options.weights == target:
            raise ParameterError(f"{target!r} is both the target and the weights. Choose another.")
        roles[options.weights] = "the weights"
    for role, name in _time_columns(options).items():
        if name in roles:
            raise ParameterError(
                f"{name!r} is named twice, once by --{role}. Choose another column."
            )
        roles[name] = f"named by --{role}"
    for name, purpose in roles.items():
        require_columns(file, [name], purpose)
    for option in ("columns", "drop", "categorical", "keep_features"):
        named = f"named by --{option.replace('_', '-')}"
        require_columns(file, getattr(options, option), named)
    left_out = {*roles, *options.drop, *division_columns(options)}
    features = [name for name in options.columns or file.names if name not in left_out]
    if not features:
        raise DataError(f"No column of {file.path!r} is left to learn from. Drop fewer columns.")
    for name in options.categorical:
        if name not in features:
            raise ParameterError(
                f"--categorical names {name!r}, which is not a feature. "
                "Remove it there, or use the column."
            )
    if rules is not None:
        _of_file(options.rules, lambda: rules.check_names(file.names))
    kinds = dict.fromkeys(features, Kind.FEATURE) | dict.fromkeys(
        options.categorical, Kind.CATEGORY
    )
    kinds |= {name: kind_of_target(options) if name == target else Kind.NUMBER for name in roles}
    return Selection(
        kinds=kinds,
        required=frozenset(roles),
        optional=frozenset(features),
        reading=reading_of(options),
        named=frozenset([*options.columns, *options.keep_features]),
        target=target,
        skip_missing_target=options.skip_missing_target,
    )


def _time_columns(options: Namespace) -> dict[str, str]:
    """The columns of times and exposures, by what they are for; only the command fit has such options."""
    named = {role: getattr(options, role, None) for role in ("time", "entry", "exposure")}
    return {role: name for role, name in named.items() if name is not None}


def load_rules(options: Namespace) -> CardRules | None:
    """The rules of a file and of the options; None when there are none."""
    settings = {name: getattr(options, name) for name in SETTINGS if hasattr(options, name)}
    if options.rules is None and "budget" in settings:
        raise ParameterError(
            "--budget is given without costs. Give the costs of features with --rules FILE."
        )
    if options.rules is None and not settings:
        return None
    from riskcard.rules.card_rules import CardRules

    rules = CardRules() if options.rules is None else CardRules.load(options.rules)
    return _of_file(options.rules, lambda: replace(rules, **settings))


def _of_file(path: str | None, make: Callable[[], Made]) -> Made:
    """What is wrong with rules is wrong with their file, if there is one."""
    if path is None:
        return make()
    try:
        return make()
    except ParameterError as error:
        raise ParameterError(f"{path!r}: {error}") from None


def _left_out(
    options: Namespace, features: Mapping[str, FeatureValues], ruled: frozenset[str]
) -> tuple[LeftOut, ...]:
    """The columns that look like identifiers, unless an option or a rule is about them."""
    from riskcard.data.first_look.data_summary import listed
    from riskcard.data.first_look.identifiers import find_identifiers

    kept = {*options.categorical, *options.keep_features, *ruled}
    found = find_identifiers({name: one for name, one in features.items() if name not in kept})
    if len(found) == len(features):
        found = tuple(one for one in found if one.is_sure)
    if len(found) == len(features):
        raise DataError(
            f"{options.data!r}: every column looks like an identifier "
            f"({listed([one.name for one in found])}). Add a column that rows have in common, or use "
            "one of these with --keep-features."
        )
    return found


def _require_variety(path: str, summary: DataSummary) -> None:
    """Refuse a table in which every column is constant."""
    from riskcard.data.first_look.data_summary import listed

    if not sum(summary.kinds.values()):
        raise DataError(
            f"{path!r}: every column to learn from is constant ({listed(summary.constant)}). "
            "Add a column that tells rows apart."
        )
