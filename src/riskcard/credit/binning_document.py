"""Binning tables as a document: an overview of all columns, then the bins of each."""

from riskcard.credit.binning_tables import READINGS, BinningTable, BinningTables
from riskcard.formatting.figures import amount, plain, share
from riskcard.formatting.pages.document import Document, Section, ShownTable
from riskcard.formatting.speech import counted, in_figures, say


def binning_document(tables: BinningTables) -> Document:
    """The tables in words."""
    overview = ShownTable(
        (say("credit_column"), say("credit_reading"), say("credit_bins"), "IV"),
        [(one.name, one.reading, str(len(one.bins)), plain(one.iv) + _mark(one)) for one in tables],
        n_left=2,
    )
    is_weighted = abs(tables.base_rate - tables.events / tables.rows) > 1e-9
    rate = share(tables.base_rate)
    rate = say("credit_share_by_weight", share=rate) if is_weighted else rate
    rows, events = counted(tables.rows, "rows"), amount(tables.events)
    return Document(
        say("bins_title", event=tables.event),
        say("bins_lead", rows=rows, events=events, share=rate),
        [
            Section(
                say("bins_value"),
                [_convention(), _chance(tables), _method(tables)],
                [overview],
                _notes(tables),
            ),
            Section(say("credit_bins"), (), [_table(one) for one in tables]),
        ],
    )


def _table(table: BinningTable) -> ShownTable:
    has_points = table.is_on_card
    header = [say("credit_bin"), *([say("credit_points")] if has_points else [])]
    header += [say("credit_rows"), say("credit_share"), say("credit_events")]
    header += [say("credit_event_rate"), "WoE", "IV"]
    rows = [
        [
            one.words,
            *([str(one.points)] if has_points else []),
            amount(one.rows),
            share(one.share),
            amount(one.events),
            "" if one.rate is None else share(one.rate),
            "" if one.woe is None else plain(one.woe),
            plain(one.iv),
        ]
        for one in table.bins
    ]
    origin = say("bins_of_card" if has_points else "bins_own")
    iv = plain(table.iv) + _mark(table)
    return ShownTable(
        header, rows, caption=say("bins_caption", name=table.name, origin=origin, iv=iv)
    )


def _convention() -> str:
    """What WoE and IV are, and how an IV is read."""
    return say(
        "bins_convention", **{name: in_figures(f"{one:g}") for name, one in READINGS.items()}
    )


def _chance(tables: BinningTables) -> str:
    """What "within chance" means for these bins."""
    is_fixed = tables.binning.method == "quantile" and not _has_card(tables)
    return say("bins_chance" if is_fixed else "bins_chance_of_chosen")


def _method(tables: BinningTables) -> str:
    binning = tables.binning
    name = "bins_quantiles" if binning.method == "quantile" else "bins_best"
    name += "_of_others" if _has_card(tables) else ""
    return say(name, most=str(binning.max_bins), share=share(binning.min_share, 0))


def _has_card(tables: BinningTables) -> bool:
    return any(one.is_on_card for one in tables)


def _notes(tables: BinningTables) -> list[str]:
    return [say("bins_adjusted")] if any(one.is_adjusted for one in tables) else []


def _mark(table: BinningTable) -> str:
    return "*" if table.is_adjusted else ""
