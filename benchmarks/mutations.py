"""Mutants of Python source: small changes of one line inside a function that a test should notice."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

COMPARISONS: Final[Mapping[type[ast.cmpop], tuple[str, str]]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: (" is ", " is not "),
    ast.IsNot: (" is not ", " is "),
    ast.In: (" in ", " not in "),
    ast.NotIn: (" not in ", " in "),
}
ARITHMETIC: Final[Mapping[type[ast.operator], tuple[str, str]]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
}

Span: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Mutant:
    """One change of one line.

    Attributes:
        file: path in the tree, with forward slashes.
        function: its name, after that of its class if it is a method.
        line: number of the line.
        operator: kind of change.
        before: the line, stripped.
        after: the changed line, stripped.
        lines: lines of which the tests are run: the line itself, or the body if a default changes.
    """

    file: str
    function: str
    line: int
    operator: str
    before: str
    after: str
    lines: tuple[int, ...]


@dataclass(frozen=True)
class Function:
    """A function or method of a file, with its source."""

    file: str
    name: str
    node: ast.FunctionDef | ast.AsyncFunctionDef
    source: Sequence[str]

    @property
    def body(self) -> tuple[int, ...]:
        """Lines of the body, without the docstring."""
        first = self.node.body[min(len(self.node.body) - 1, ast.get_docstring(self.node) is not None)]
        return tuple(range(first.lineno, (self.node.end_lineno or first.lineno) + 1))

    def line(self, number: int) -> str:
        """Return a line, stripped."""
        return self.source[number - 1].strip()


def functions(root: Path, folders: Sequence[str]) -> Iterator[Function]:
    """Yield the functions and methods of the Python files in `folders`; an inner function is part of the outer one."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            yield from _named(path.relative_to(root).as_posix(), ast.parse(text), text.splitlines())


def _named(file: str, node: ast.AST, source: Sequence[str], prefix: str = "") -> Iterator[Function]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield Function(file, prefix + child.name, child, source)
        elif isinstance(child, ast.ClassDef):
            yield from _named(file, child, source, f"{prefix}{child.name}.")


def mutants(function: Function) -> Iterator[Mutant]:
    """Yield the mutants of a function; defaults of arguments are changed, annotations and texts are not."""
    arguments = function.node.args
    for default in filter(None, (*arguments.defaults, *arguments.kw_defaults)):
        yield from _of_nodes(function, default, function.body)
    for statement in function.node.body:
        yield from _of_nodes(function, statement, ())


def _of_nodes(function: Function, root: ast.AST, lines: tuple[int, ...]) -> Iterator[Mutant]:
    for node in _without_annotations(root):
        for operator, place, span, new in _changes(node, function.source):
            line = function.source[place - 1]
            # Columns of `ast` count bytes.
            if not line.isascii():
                continue
            changed = line[: span[0]] + new + line[span[1] :]
            named = "default" if lines else operator
            executed = lines or (place,)
            yield Mutant(function.file, function.name, place, named, line.strip(), changed.strip(), executed)


def _without_annotations(node: ast.AST) -> Iterator[ast.AST]:
    """Walk, but for annotations, and for f-strings, whose parts have no places of their own before Python 3.12."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr):
                yield from _without_annotations(child)


def _changes(node: ast.AST, source: Sequence[str]) -> Iterator[tuple[str, int, Span, str]]:
    """Yield kind, line, columns and new text of each change of a node itself."""
    if isinstance(node, ast.Compare):
        for left, comparison, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
            yield from _between("comparison", left, right, COMPARISONS[type(comparison)], source)
    elif isinstance(node, ast.BoolOp):
        words = (" and ", " or ") if isinstance(node.op, ast.And) else (" or ", " and ")
        for left, right in zip(node.values, node.values[1:], strict=False):
            yield from _between("and, or", left, right, words, source)
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        yield from _between("arithmetic", node.left, node.right, ARITHMETIC[type(node.op)], source)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not", node.lineno, (node.col_offset, node.col_offset + len("not ")), ""
    elif isinstance(node, ast.Constant):
        yield from _constant(node)
    elif isinstance(node, ast.stmt) and node.lineno == node.end_lineno:
        yield from _statement(node)


def _between(
    operator: str, left: ast.expr, right: ast.expr, words: tuple[str, str], source: Sequence[str]
) -> Iterator[tuple[str, int, Span, str]]:
    """Change the word between two operands; brackets around them stay."""
    if left.end_lineno == right.lineno and left.end_col_offset is not None:
        gap = source[right.lineno - 1][left.end_col_offset : right.col_offset]
        if words[0] in gap:
            yield operator, right.lineno, (left.end_col_offset, right.col_offset), gap.replace(*words, 1)


def _constant(node: ast.Constant) -> Iterator[tuple[str, int, Span, str]]:
    span = (node.col_offset, node.end_col_offset or node.col_offset)
    if isinstance(node.value, bool):
        yield "boolean", node.lineno, span, str(not node.value)
    elif isinstance(node.value, int | float):
        yield "number", node.lineno, span, str(node.value + 1)


def _statement(node: ast.stmt) -> Iterator[tuple[str, int, Span, str]]:
    span = (node.col_offset, node.end_col_offset or node.col_offset)
    if isinstance(node, ast.Return) and node.value and not _is_none(node.value):
        yield "return", node.lineno, span, "return None"
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await):
        yield "call", node.lineno, span, "pass"


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def counterpart(mutant: Mutant, function: Function, others: Sequence[Function]) -> Mutant | None:
    """Return the same change in another tree: the same line in a function of the same name, if exactly one has it.

    Args:
        mutant: a mutant of this tree.
        function: the function that it changes.
        others: functions of the other tree.
    """
    name = _plain(function.name)
    same = [other for other in others if _plain(other.name) == name]
    found = [place for other in same if (place := _same_line(mutant, function, other))]
    return found[0] if len(found) == 1 else None


def _plain(name: str) -> str:
    return name.rpartition(".")[2].lstrip("_")


def _same_line(mutant: Mutant, function: Function, other: Function) -> Mutant | None:
    """Return the change in `other`, if it has the line as often as the function; then the places go by order."""
    mine, theirs = ([n for n in _all_lines(each) if each.line(n) == mutant.before] for each in (function, other))
    if len(mine) != len(theirs):
        return None
    line = theirs[mine.index(mutant.line)]
    lines = other.body if mutant.operator == "default" else (line,)
    return Mutant(other.file, other.name, line, mutant.operator, mutant.before, mutant.after, lines)


def _all_lines(function: Function) -> range:
    return range(function.node.lineno, (function.node.end_lineno or 0) + 1)


def apply(mutant: Mutant, text: str) -> str:
    """Return a file's text with the change made."""
    lines = text.splitlines(keepends=True)
    lines[mutant.line - 1] = lines[mutant.line - 1].replace(mutant.before, mutant.after)
    return "".join(lines)
