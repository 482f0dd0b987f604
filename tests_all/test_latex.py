"""A card as LaTeX compiles with nothing but article and booktabs, whatever its names are."""

import subprocess

import pytest

from cards import heart_card, mass_card
from counted import counted, many_totals, odd_card
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints

#: Every character that a name may have: all of ASCII, letters, signs, other scripts.
SIGNS = "".join(map(chr, [*range(32, 127), *range(161, 384), *range(0x3B1, 0x3CA)]))
CARDS = {
    "heart": heart_card(),
    "mass": counted(mass_card()),
    "many": counted(many_totals(8)),
    "odd": counted(odd_card()),
    "signs": RiskCard([FeaturePoints(f"[{SIGNS} ≤ ≥ → “x” 血圧 🙂", [-1.5], [-2, 0])]),
    "empty": RiskCard([]),
}


@pytest.mark.parametrize("name", CARDS)
def test_the_document_compiles(name, tmp_path, find_program):
    path = tmp_path / "card.tex"
    path.write_text(CARDS[name].to_latex(document=True), encoding="utf-8")
    command = [find_program("pdflatex"), "-interaction=nonstopmode", "-halt-on-error", path.name]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    assert "undefined" not in done.stdout.lower()
    assert (tmp_path / "card.pdf").read_bytes().startswith(b"%PDF")
