"""Small faults made on purpose: every place of a source where one can be put in, and the faulty source."""

from __future__ import annotations

import ast
import builtins
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

#: What a comparison becomes: a shifted boundary, then the opposite.
COMPARISONS: dict[type, tuple[type, ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
#: What an operation becomes.
OPERATIONS: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.MatMult: ast.Mult,
}
#: Names that are confused with each other.
NAMES = {
    "min": "max",
    "max": "min",
    "minimum": "maximum",
    "maximum": "minimum",
    "all": "any",
    "any": "all",
    "floor": "ceil",
    "ceil": "floor",
    "argmax": "argmin",
}
#: Functions whose two arguments may be exchanged.
SYMMETRIC = ("is_close", "isclose", "array_equal", "logaddexp", "hypot")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One fault in one file.

    Attributes
    ----------
    file
        Path below the package.
    function
        The function, with its class if it has one; empty at the top of the module.
    old, new
        The lines with the fault, before and after, as one.
    number
        Which of the equal faults in this function it is, from 0.
    line
        Where it is; not part of its name.
    source
        The whole faulty file.
    """

    file: str
    function: str
    old: str
    new: str
    number: int
    line: int
    source: str

    @property
    def name(self) -> str:
        """A name that survives edits elsewhere in the file."""
        times = f" #{self.number}" if self.number else ""
        return f"{self.file} {self.function or 'module'}: {self.old} -> {self.new}{times}"

    def rank(self, seed: int) -> str:
        """Its place in a random order that depends on its name and a seed only."""
        return hashlib.sha256(f"{seed} {self.name}".encode()).hexdigest()


def mutants_of(file: str, source: str) -> list[Mutant]:
    """Every mutant of a source."""
    found: list[Mutant] = []
    seen: Counter[tuple[str, str, str]] = Counter()
    for function, node, new in _faults(ast.parse(source), ""):
        faulty = _replace(source, node, new)
        old, new = (_lines_around(text, node) for text in (source, faulty))
        try:
            compile(faulty, file, "exec")
        except (SyntaxError, TypeError):
            continue
        key = function, old, new
        found.append(Mutant(file, *key, seen[key], node.lineno, faulty))
        seen[key] += 1
    return found


def _replace(source: str, node: ast.expr | ast.stmt, new: str) -> str:
    """The source with new code for a node, on as many lines as the node had."""
    assert node.end_lineno is not None
    new += "\n" * (node.end_lineno - node.lineno - new.count("\n"))
    lines = source.splitlines(keepends=True)
    assert node.end_lineno is not None
    first, last = lines[node.lineno - 1].encode(), lines[node.end_lineno - 1].encode()
    before, after = first[: node.col_offset].decode(), last[node.end_col_offset :].decode()
    return "".join([*lines[: node.lineno - 1], before + new + after, *lines[node.end_lineno :]])


def _lines_around(text: str, node: ast.expr | ast.stmt) -> str:
    """The lines of a node as one; a fault never changes their number from the end of the file."""
    assert node.end_lineno is not None
    return " ".join(" ".join(text.splitlines()[node.lineno - 1 : node.end_lineno]).split())


def _faults(node: ast.AST, function: str) -> Iterator[tuple[str, ast.expr | ast.stmt, str]]:
    """Every piece of code that can be made faulty, and what it becomes; words are left alone."""
    if isinstance(node, (ast.JoinedStr, ast.Raise, ast.Assert, ast.Import, ast.ImportFrom)):
        return
    if _is_text(node) or (isinstance(node, ast.keyword) and node.arg in ("strict", "dtype")):
        return
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        function = f"{function}.{node.name}".lstrip(".")
    if isinstance(node, ast.stmt):
        yield from ((function, node, new) for new in _faulty_statements(node))
    if isinstance(node, ast.expr):
        # within parentheses, so that it is one operand of what is around it
        yield from ((function, node, f"({ast.unparse(new)})") for new in _faulty(node))
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases"):
            continue
        if name == "body" and isinstance(node, ast.Module):
            value = [one for one in value if not _is_alias(one)]
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _faults(child, function)


def _is_text(node: ast.AST) -> bool:
    """Words put together, such as the detail of a check."""
    sides = (node.left, node.right) if isinstance(node, ast.BinOp) else ()
    return (
        isinstance(node, ast.AugAssign) and isinstance(node.value, (ast.JoinedStr, ast.IfExp))
    ) or any(isinstance(one, ast.JoinedStr) or _is_text(one) for one in sides)


def _is_alias(node: ast.stmt) -> bool:
    """A name for a type, such as ``Floats = NDArray[np.float64]``."""
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.value, (ast.Subscript, ast.BinOp))
        and (not any(isinstance(one, ast.Constant) for one in ast.walk(node.value)))
    )


def _faulty_statements(node: ast.stmt) -> Iterator[str]:
    """An early exit that is not taken, a sum that goes the other way."""
    if isinstance(node, ast.AugAssign) and type(node.op) in OPERATIONS:
        yield ast.unparse(ast.AugAssign(node.target, OPERATIONS[type(node.op)](), node.value))
    if isinstance(node, ast.If) and not node.orelse:
        last = node.body[-1]
        if isinstance(last, (ast.Return, ast.Continue, ast.Break)):
            test = ast.BoolOp(ast.And(), [ast.Constant(False), node.test])
            lines = ast.unparse(ast.If(test, node.body, [])).splitlines()
            yield ("\n" + " " * node.col_offset).join(lines)


def _faulty(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            others = COMPARISONS.get(type(operator), ())
            # no figure is ever exactly as far off as rounding may make it
            for other in others[1:] if _has_margin(node) else others:
                changed = [*node.ops[:place], other(), *node.ops[place + 1 :]]
                yield ast.Compare(node.left, changed, node.comparators)
    elif isinstance(node, ast.BinOp):
        if type(node.op) in OPERATIONS:
            yield ast.BinOp(node.left, OPERATIONS[type(node.op)](), node.right)
        if isinstance(node.op, (ast.Add, ast.Sub)):
            yield node.left
        if isinstance(node.op, ast.Add):
            yield node.right
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        yield from node.values if len(node.values) == 2 else ()
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub, ast.Invert)):
        yield node.operand
    elif isinstance(node, ast.Constant):
        yield from _faulty_constants(node.value)
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, (ast.Name, ast.Attribute)):
        name = node.id if isinstance(node, ast.Name) else node.attr
        # a variable may have the name of a function of numpy, not that of a builtin one
        is_function = isinstance(node, ast.Attribute) or hasattr(builtins, name)
        if name in NAMES and is_function and isinstance(node.ctx, ast.Load):
            other = NAMES[name]
            yield (
                ast.Name(other) if isinstance(node, ast.Name) else ast.Attribute(node.value, other)
            )
    elif isinstance(node, ast.Call) and len(node.args) == 2 and not node.keywords:
        first, second = node.args
        called = ast.unparse(node.func).split(".")[-1]
        is_spared = called in {*NAMES, *SYMMETRIC, "isinstance"} or called.istitle()
        if isinstance(first, ast.Name) and isinstance(second, ast.Name) and not is_spared:
            yield ast.Call(node.func, [second, first], [])


def _has_margin(node: ast.expr) -> bool:
    return any(
        isinstance(one, ast.Name) and one.id.endswith(("ROUNDING", "TOLERANCE"))
        for one in ast.walk(node)
    )


def _faulty_constants(value: object) -> Iterator[ast.expr]:
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield from (ast.Constant(value + step) for step in (1, -1))
    elif isinstance(value, float):
        yield ast.Constant(value + 1.0)
    elif value in ("left", "right"):
        yield ast.Constant("right" if value == "left" else "left")
