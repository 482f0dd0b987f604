"""How a card shows itself and leaves: text, pages, pictures, frames, files that run elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from pathlib import Path

    from riskcard.model.card import RiskCard


class CardViews:
    """The card as something to look at, or to use without riskcard; each view is made when asked for."""

    __slots__ = ()

    @property
    def _card(self) -> RiskCard:
        return cast("RiskCard", self)

    def to_frame(self, backend: str = "pandas") -> Any:
        """The lines of the card as a data frame: feature, condition, points, rows, events.

        The base is not among the lines: it is ``card.base``. Rows and events are those of training; they
        are missing on a card written by hand.

        Parameters
        ----------
        backend
            The library of the frame: "pandas", "polars" or "pyarrow".
        """
        from riskcard.model.card_frames import lines_frame

        return lines_frame(self._card, backend)

    def totals_frame(self, backend: str = "pandas") -> Any:
        """Every total as a data frame: total, log_odds, risk, rows, events, low, high.

        Rows and events are those of training, ``low`` and ``high`` the 95 % interval of the risk. They
        are missing where the card does not know them: on a card written by hand, and on a card with so
        many totals that it stores counts of bands only.

        Parameters
        ----------
        backend
            The library of the frame: "pandas", "polars" or "pyarrow".
        """
        from riskcard.model.card_frames import totals_frame

        return totals_frame(self._card, backend)

    def export(self, path: str | Path, to: str | None = None, **options: Any) -> None:
        """Write the card as something that runs elsewhere.

        Parameters
        ----------
        path
            The file; its ending gives the format: .py, .sql, .mjs, .js, .xlsx, .pmml, .onnx, .cql, .json.
        to
            The name of the format, where the ending does not give it.
        **options
            Those of the format: see ``riskcard.export.formats.export_card``.
        """
        from riskcard.export.formats import export_card

        export_card(self._card, path, to, **options)

    def to_text(self, form: str = "bins") -> str:
        """The card as plain text.

        Parameters
        ----------
        form
            "bins" (one row per bin) or "two_sided" (the paper's form).
        """
        from riskcard.card.card_text import render_text

        return render_text(self._card, form)

    def to_html(self) -> str:
        """The card as a piece of HTML."""
        from riskcard.card.card_html import render_html

        return render_html(self._card)

    def to_markdown(self) -> str:
        """The card as Markdown: two tables, and sentences on training and proof."""
        from riskcard.card.markdown import render_markdown

        return render_markdown(self._card)

    def to_latex(self, document: bool = False) -> str:
        """The card as LaTeX.

        Parameters
        ----------
        document
            False: a piece for a document that loads the package booktabs. True: a document of its
            own.
        """
        from riskcard.card.latex import render_latex

        return render_latex(self._card, document)

    def to_svg(self) -> str:
        """The card as an SVG picture that needs no other file."""
        from riskcard.card.drawing.svg import render_svg

        return render_svg(self._card)

    def to_calculator(self) -> str:
        """The card as an offline page that adds up points while values are entered."""
        from riskcard.calculator.calculator_page import render_calculator

        return render_calculator(self._card)

    def save_picture(self, path: str | Path) -> None:
        """Write the card as a picture: PDF (front and back), PNG or SVG, by the ending of the name.

        PDF and PNG need matplotlib, which the extra ``plots`` brings.
        """
        from riskcard.card.drawing.picture import picture_for
        from riskcard.output_files import write_whole

        write_whole(path, picture_for(self._card, path))

    def __str__(self) -> str:
        return self.to_text()

    def __rich_console__(self, console: Any, options: Any) -> Any:
        from riskcard.card.terminal import rich_card

        yield rich_card(self._card, options.max_width)

    def _repr_html_(self) -> str:
        return self.to_html()
