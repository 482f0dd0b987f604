"""Write ``parameters.md`` from the table of parameters: ``python docs/make_parameters.py``."""

from pathlib import Path

from riskcard.parameters import parameters_page

if __name__ == "__main__":
    (Path(__file__).parent / "parameters.md").write_text(parameters_page(), encoding="utf-8")
