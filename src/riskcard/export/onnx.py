"""A card as an ONNX model: one input per feature, and total, log-odds and risk as outputs."""

from collections.abc import Iterator
from functools import reduce
from typing import Any

import numpy as np

from riskcard.errors import ParameterError
from riskcard.export.cases import (
    CardCases,
    Case,
    FeatureCases,
    Kind,
    When,
    cases_for,
    new_names,
    require_features,
)
from riskcard.extras import import_extra
from riskcard.model.card import RiskCard
from riskcard.version import __version__

#: Versions that older runtimes read too.
_OPSET, _ML_OPSET, _IR_VERSION = 17, 3, 8

#: Means "no points" among whole numbers; real points are never as low.
_NO_POINTS = -(2**62)

_ROWS = "rows"


def card_to_onnx(card: RiskCard, missing_text: str = "") -> bytes:
    """Write a card as the content of an ONNX file.

    Parameters
    ----------
    card
        A card with at least one feature, whose levels are of one kind in each feature.
    missing_text
        The text that means a missing value among texts; it must not be a level.

    Returns
    -------
    bytes
        A model whose inputs have the names of the features and one dimension, the rows: tensors of
        doubles, NaN where missing, for numbers and booleans (0 and 1), and tensors of strings. The
        outputs "total", "log_odds" and "risk" are doubles, NaN where the card cannot score the row.
    """
    card.require_yes_or_no("ONNX files")
    cases = cases_for(card, "a tensor", "a tensor of doubles")
    require_features(cases, "ONNX")
    for feature in cases.features:
        if missing_text in feature.levels:
            raise ParameterError(
                f"{missing_text!r} is a level of {feature.name!r}, and cannot mean that the value is "
                "missing. Choose another text as missing_text."
            )
    content: bytes = _Graph(cases, missing_text).model().SerializeToString()
    return content


class _Graph:
    """The nodes of a model while they are being put together."""

    def __init__(self, cases: CardCases, missing_text: str) -> None:
        self.onnx = import_extra("onnx", "An ONNX model", "onnx")
        self.cases = cases
        self.missing_text = missing_text
        self.nodes: list[Any] = []
        self.constants: dict[bytes, str] = {}
        self.initializers: list[Any] = []
        names = [feature.name for feature in cases.features]
        self.outputs = new_names(["total", "log_odds", "risk"], names)
        self.taken = [*names, *self.outputs]

    def model(self) -> Any:
        """The whole model, checked."""
        helper, double = self.onnx.helper, self.onnx.TensorProto.DOUBLE
        self._add_up()
        tensor, text = helper.make_tensor_value_info, self.onnx.TensorProto.STRING
        graph = helper.make_graph(
            self.nodes,
            "riskcard",
            [
                tensor(feature.name, text if feature.kind is Kind.TEXT else double, [_ROWS])
                for feature in self.cases.features
            ],
            [tensor(name, double, [_ROWS]) for name in self.outputs],
            initializer=self.initializers,
            doc_string="\n".join([self.cases.title, *self._counts()]),
        )
        model = helper.make_model(
            graph,
            producer_name="riskcard",
            producer_version=__version__,
            opset_imports=[
                helper.make_opsetid("", _OPSET),
                helper.make_opsetid("ai.onnx.ml", _ML_OPSET),
            ],
            ir_version=_IR_VERSION,
        )
        self.onnx.checker.check_model(model, full_check=True)
        return model

    def _counts(self) -> Iterator[str]:
        """The training rows of every case, in words."""
        for feature in self.cases.features:
            for case in feature.cases:
                if case.counted:
                    yield f"{feature.name} {case.words}: {case.counted}"

    def _add_up(self) -> None:
        """From the points of all features to the outputs."""
        total, log_odds, risk = self.outputs
        found = [
            self._text_points(one) if one.kind is Kind.TEXT else self._number_points(one)
            for one in self.cases.features
        ]
        self._node("Sum", [*found, self._constant(self.cases.base)], total)
        divided = self._node("Div", [total, self._constant(self.cases.multiplier)])
        self._node("Add", [divided, self._constant(self.cases.offset)], log_odds)
        odds = self._node("Exp", [self._node("Neg", [log_odds])])
        one = self._constant(1.0)
        self._node("Div", [one, self._node("Add", [one, odds])], risk)

    def _number_points(self, feature: FeatureCases) -> str:
        """Points of a tensor of doubles: from the last case to the first, which has precedence."""
        value, found = feature.name, self._constant(feature.otherwise.points)
        for case in reversed(feature.middle):
            condition = self._condition(value, case)
            found = self._node("Where", [condition, self._constant(case.points), found])
        is_infinite = self._node("IsInf", [value])
        found = self._node("Where", [is_infinite, self._constant(None), found])
        missing = self._constant(feature.missing.points)
        return self._node("Where", [self._node("IsNaN", [value]), missing, found])

    def _condition(self, value: str, case: Case) -> str:
        if case.when is When.UP_TO:
            return self._node("LessOrEqual", [value, self._constant(case.cut)])
        found = [self._node("Equal", [value, self._constant(float(one))]) for one in case.values]
        return reduce(lambda one, other: self._node("Or", [one, other]), found)

    def _text_points(self, feature: FeatureCases) -> str:
        """Points of a tensor of strings: a table from texts to whole numbers."""
        table = {level: case.points for case in feature.middle for level in case.values}
        table[self.missing_text] = feature.missing.points
        points = self._node(
            "LabelEncoder",
            [feature.name],
            domain="ai.onnx.ml",
            keys_strings=list(table),
            values_int64s=[_whole(points) for points in table.values()],
            default_int64=_whole(feature.otherwise.points),
        )
        as_double = self._node("Cast", [points], to=self.onnx.TensorProto.DOUBLE)
        is_none = self._node("Equal", [as_double, self._constant(float(_NO_POINTS))])
        return self._node("Where", [is_none, self._constant(None), as_double])

    def _node(self, kind: str, inputs: list[str], output: str = "", **attributes: Any) -> str:
        """Add a node; returns the name of its output."""
        name = output or self._new_name("step")
        self.nodes.append(self.onnx.helper.make_node(kind, inputs, [name], **attributes))
        return name

    def _constant(self, value: float | None) -> str:
        """A double, by its name; None is "not a number"."""
        number = np.float64(np.nan if value is None else value)
        key = number.tobytes()
        if key not in self.constants:
            self.constants[key] = self._new_name("constant")
            tensor = self.onnx.numpy_helper.from_array(np.array(number), self.constants[key])
            self.initializers.append(tensor)
        return self.constants[key]

    def _new_name(self, word: str) -> str:
        (name,) = new_names([word], self.taken)
        self.taken.append(name)
        return name


def _whole(points: int | None) -> int:
    return _NO_POINTS if points is None else points
