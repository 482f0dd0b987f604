"""The CQL gives the total and the risk of the card: translated by the reference translator, run by an engine."""

import json
import shutil
import subprocess
import warnings

import pytest

from cards import heart_card, mass_card
from export_rows import odd_card, rows_of
from riskcard.credit.scaling import to_credit_points
from riskcard.export.clinical.cql import card_to_cql
from riskcard.model.card import RiskCard
from riskcard.model.words.labels import FeatureLabel, Labels

#: The translator is that of the people who make the language; the engine is another one.
PACKAGES = ("@cqframework/cql@5.3.0", "cql-execution@3.3.2")

RUNNER = """
import {
  CqlTranslator, LibraryManager, ModelManager, createModelInfoProvider, stringAsSource,
} from "@cqframework/cql/cql-to-elm";
import cql from "cql-execution";
import { readFileSync } from "node:fs";

// the translator comes without the types of the language itself, which its operators need to be there
const typeOf = (kind, name, base, fields = {}) =>
  `<typeInfo xsi:type="${kind}" ${kind === "ClassInfo" ? 'namespace="System" ' : ""}` +
  `name="${kind === "ClassInfo" ? "" : "System."}${name}"${base ? ` baseType="System.${base}"` : ""}>` +
  Object.entries(fields).map(([field, type]) => `<element name="${field}" elementType="System.${type}"/>`).join("") +
  "</typeInfo>";
const types = [
  typeOf("SimpleTypeInfo", "Any"),
  ..."Boolean Integer Long Decimal String DateTime Date Time".split(" ").map((name) => typeOf("SimpleTypeInfo", name, "Any")),
  typeOf("ClassInfo", "Quantity", "Any", { value: "Decimal", unit: "String" }),
  typeOf("ClassInfo", "Ratio", "Any", { numerator: "Quantity", denominator: "Quantity" }),
  typeOf("ClassInfo", "Code", "Any", { code: "String", system: "String", version: "String", display: "String" }),
  typeOf("ClassInfo", "Concept", "Any", { display: "String" }),
  typeOf("ClassInfo", "Vocabulary", "Any", { id: "String", version: "String", name: "String" }),
  typeOf("ClassInfo", "CodeSystem", "Vocabulary"),
  typeOf("ClassInfo", "ValueSet", "Vocabulary"),
];
const model = `<modelInfo xmlns="urn:hl7-org:elm-modelinfo:r1" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  name="System" version="1.0.0" url="urn:hl7-org:elm-types:r1">${types.join("")}</modelInfo>`;

const answers = [];
for (const [text, rows] of JSON.parse(readFileSync(0, "utf8"))) {
  const models = new ModelManager();
  models.modelInfoLoader.registerModelInfoProvider(
    createModelInfoProvider((name) => (name === "System" ? stringAsSource(model) : null)));
  const elm = JSON.parse(CqlTranslator.fromText(text, new LibraryManager(models)).toJson());
  const faults = (elm.library.annotation ?? []).filter((note) => note.errorSeverity);
  if (faults.length) { console.error(JSON.stringify(faults)); process.exit(1); }
  const library = new cql.Library(elm);
  const found = [];
  for (const row of rows)
    found.push((await new cql.Executor(library, undefined, row).exec(new cql.PatientSource([]))).unfilteredResults);
  answers.push({ found, codes: elm.library.codes?.def ?? [] });
}
console.log(JSON.stringify(answers));
"""


@pytest.fixture(scope="module")
def folder(find_program, tmp_path_factory):
    """A folder with both packages; without a registry to get them from, the tests are skipped."""
    find_program("node")
    npm, place = shutil.which("npm"), tmp_path_factory.mktemp("cql")
    (place / "package.json").write_text("{}", encoding="utf-8")
    (place / "run.mjs").write_text(RUNNER, encoding="utf-8")
    command = [npm or "npm", "install", "--no-audit", "--no-fund", "--silent", *PACKAGES]
    if (
        npm is None
        or subprocess.run(command, cwd=place, capture_output=True, check=False).returncode
    ):
        pytest.skip(f"no npm that can install {' and '.join(PACKAGES)}")
    return place


def run(folder, work):
    """What the engine gives for several cards, each with rows; every fault of the translator is one of the test."""
    asked = json.dumps([(card_to_cql(card), rows) for card, rows in work])
    command = ["node", str(folder / "run.mjs")]
    done = subprocess.run(
        command, cwd=folder, input=asked, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def plain_rows(card):
    """Rows at every boundary that CQL can hold: no infinite numbers, at most eight decimals."""
    found = []
    for row in rows_of(card):
        numbers = [value for value in row.values() if isinstance(value, float)]
        if all(
            number == number and abs(number) < 1e15 and number == round(number, 8)
            for number in numbers
        ):
            found.append(row)
    for feature in card.features:
        for cut in () if feature.levels else feature.cuts:
            found += [{**found[0], feature.name: cut + step} for step in (-1e-6, 1e-6)]
    return found


def held_by_cql(card):
    """The features whose numbers CQL can hold."""
    kept = []
    for feature in card.features:
        try:
            card_to_cql(RiskCard([feature]))
        except ValueError:
            continue
        kept.append(feature)
    return RiskCard(kept, base=card.base, multiplier=card.multiplier, offset=card.offset)


CARDS = {
    "mass": mass_card(),
    "heart": heart_card(),
    "odd": held_by_cql(odd_card()),
    "credit": to_credit_points(mass_card()).card,
    "empty": RiskCard([], base=3, offset=0.25),
}


@pytest.mark.parametrize("name", CARDS)
def test_cql_gives_the_total_and_the_risk_of_the_card(folder, name):
    card = CARDS[name]
    rows = plain_rows(card) if card.features else [{}]
    assert len(rows) >= (5 if card.features else 1)
    (answer,) = run(folder, [(card, rows)])
    n_scored = 0
    for row, found in zip(rows, answer["found"], strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                columns = {feature.name: [row[feature.name]] for feature in card.features}
                total = card.base if not columns else int(card.total_points(columns)[0])
            except ValueError:  # no points for such a value
                assert found["total"] is None
                assert found["risk"] is None
                continue
        assert found["total"] == total, row
        assert found["risk"] == pytest.approx(float(card.risk_of_total(total)), abs=1e-6)
        n_scored += 1
    assert n_scored >= (5 if card.features else 1)


def test_codes_are_those_of_the_labels(folder):
    labels = Labels(
        features={"age": FeatureLabel("Age", code="30525-0", code_system="http://loinc.org")}
    )
    ((answer),) = run(folder, [(mass_card().with_labels(labels), [{"age": 71}])])
    assert [(one["name"], one["id"], one["display"]) for one in answer["codes"]] == [
        ("code of age", "30525-0", "Age")
    ]
