"""Binning tables as a document: an overview of all columns, then the bins of each."""

from riskcard.credit.binning_tables import BinningTable, BinningTables
from riskcard.formatting.figures import count, plain, share
from riskcard.formatting.pages.document import Document, Section, ShownTable

_CONVENTION = (
    "WoE, the weight of evidence, is log(share of all goods in the bin / share of all bads in it); bads "
    "have the event. It is positive where a bin is safer than average. IV, the information value, is the "
    "sum of (share of goods - share of bads) x WoE; readings: weak from 0.02, medium from 0.1, strong from "
    "0.3, very strong from 0.5, where the column may be a leak."
)
_CHANCE = (
    "Within chance: a column that has nothing to do with the event exceeds such an IV in more than one sample "
    "of twenty"
)
_CHANCE_OF_CHOSEN = (
    ", even where its bins are fixed in advance. Bins that were chosen on these rows, as the lines of a card "
    "are on its training rows, exceed it more often: an IV that is not within chance may still be due to chance."
)
_ADJUSTED = "* A bin has no goods or no bads: half a row was added to every bin of both."


def binning_document(tables: BinningTables) -> Document:
    """The tables in words."""
    overview = ShownTable(
        ("Column", "Reading", "Bins", "IV"),
        [(one.name, one.reading, str(len(one.bins)), plain(one.iv) + _mark(one)) for one in tables],
        n_left=2,
    )
    is_weighted = abs(tables.base_rate - tables.events / tables.rows) > 1e-9
    by_weight = " by weight" if is_weighted else ""
    return Document(
        f"Binning tables: {tables.event}",
        f"{count(tables.rows, 'row')}, {tables.events:,} of them with the event "
        f"({share(tables.base_rate)}{by_weight}).",
        [
            Section(
                "Information value",
                [_CONVENTION, _chance(tables), _method(tables)],
                [overview],
                _notes(tables),
            ),
            Section("Bins", (), [_table(one) for one in tables]),
        ],
    )


def _table(table: BinningTable) -> ShownTable:
    has_points = table.is_on_card
    header = ["Bin", *(["Points"] if has_points else [])]
    header += ["Rows", "Share", "Events", "Event rate", "WoE", "IV"]
    rows = [
        [
            one.words,
            *([str(one.points)] if has_points else []),
            f"{one.rows:,}",
            share(one.share),
            f"{one.events:,}",
            "" if one.rate is None else share(one.rate),
            "" if one.woe is None else plain(one.woe),
            plain(one.iv),
        ]
        for one in table.bins
    ]
    origin = "lines of the card" if has_points else "own bins"
    return ShownTable(
        header, rows, caption=f"{table.name} ({origin}), IV {plain(table.iv)}{_mark(table)}"
    )


def _chance(tables: BinningTables) -> str:
    """What "within chance" means for these bins."""
    is_fixed = tables.binning.method == "quantile" and not _has_card(tables)
    return f"{_CHANCE}." if is_fixed else _CHANCE + _CHANCE_OF_CHOSEN


def _method(tables: BinningTables) -> str:
    binning = tables.binning
    own = "The bins of columns that are not on the card" if _has_card(tables) else "Bins"
    least = f"each with at least {share(binning.min_share, 0)} of the rows"
    if binning.method == "quantile":
        return (
            f"{own} are up to {binning.max_bins} quantiles, {least}; levels are bins of their own."
        )
    return (
        f"{own} are those of at most {binning.max_bins}, {least}, that fit these events best; a further bin "
        "has to pay for itself by the Bayesian information criterion. They were chosen on these rows, so "
        "their IV is somewhat too high."
    )


def _has_card(tables: BinningTables) -> bool:
    return any(one.is_on_card for one in tables)


def _notes(tables: BinningTables) -> list[str]:
    return [_ADJUSTED] if any(one.is_adjusted for one in tables) else []


def _mark(table: BinningTable) -> str:
    return "*" if table.is_adjusted else ""
