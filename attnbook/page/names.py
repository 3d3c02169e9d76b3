"""What a cell defines and what it takes from other cells, by the names in it.

The build asks it of the cells of a page (`book/sphinx/python.py`), the page of what a reader wrote.
"""

import ast
import builtins
import copy
import symtable
from collections.abc import Iterable
from typing import Any

#: What prose has in the place of signs of Python: code that is copied from it may hold them.
PROSE = str.maketrans("−–×·“”„‘’\u00a0\u2009\u202f", '--**"""\'\'   ')

#: Statements that define their names whenever they run.
_SURE = (
    ast.Assign,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
)

#: What the pages call a generator of random numbers: when one has drawn from it, it is another.
GENERATOR = "rng"


def parse(source: str, filename: str = "<cell>") -> ast.Module:
    """Parse a cell; where that fails, signs of prose are taken as those of Python."""
    try:
        return ast.parse(source, filename)
    except SyntaxError as error:
        try:
            return ast.parse(source.translate(PROSE), filename)
        except SyntaxError:
            raise error from None


def names(source: str) -> dict[str, Any]:
    """Return the names that a cell defines at its top level, and those that it takes.

    Not taken is what it surely defines before it is used: `sure` are the names of which it needs no
    earlier value. `imports` has the lines of the names that it only imports, with what it sets
    there (`np.set_printoptions(...)`). A cell that is no Python has no names.
    """
    try:
        statements = parse(source).body
    except SyntaxError:
        statements = []
    found = _Names()
    sure = found.read(statements, set())
    found.defines |= found.takes & {GENERATOR}
    imports = _imports(statements)
    return {
        "defines": sorted(found.defines),
        "takes": sorted(found.takes - set(dir(builtins))),
        "sure": sorted(sure - found.takes - imports.keys()),
        "imports": imports,
    }


class _Names:
    """The names of statements, read in the order in which they run."""

    def __init__(self) -> None:
        self.defines: set[str] = set()
        self.takes: set[str] = set()

    def read(self, statements: Iterable[ast.stmt], sure: set[str]) -> set[str]:
        """Note the names of these statements; return what is surely defined after them.

        A loop counts as run: what it assigns first is the cell's own. A branch may not run.
        """
        for statement in statements:
            match statement:
                case ast.If(test, body, orelse):
                    sure = self._one(ast.Expr(test), sure)
                    sure = self.read(body, sure) & self.read(orelse, sure)
                case ast.For(target, iterator, body, orelse):
                    sure = self._one(ast.Assign([target], iterator), sure)
                    sure = self.read([*body, *orelse], sure)
                case ast.While(test, body, orelse):
                    sure = self.read([*body, *orelse], self._one(ast.Expr(test), sure))
                case ast.With(items, body):
                    for item in items:
                        given: ast.stmt = ast.Expr(item.context_expr)
                        if item.optional_vars:
                            given = ast.Assign([item.optional_vars], item.context_expr)
                        sure = self._one(given, sure)
                    sure = self.read(body, sure)
                case ast.Try(body, handlers, orelse, final):
                    ends = [self.read([*body, *orelse], sure)]
                    for handler in handlers:
                        if handler.type:
                            self._one(ast.Expr(handler.type), sure)
                        own = {handler.name} if handler.name else set()
                        self.defines |= own
                        ends.append(self.read(handler.body, sure | own) - own)
                    sure = self.read(final, set.intersection(*ends))
                case _:
                    sure = self._one(statement, sure)
        return sure

    def _one(self, statement: ast.stmt, sure: set[str]) -> set[str]:
        lazy = ast.fix_missing_locations(_Lazy().visit(copy.deepcopy(statement)))
        table = symtable.symtable(ast.unparse(lazy), "cell", "exec")
        own = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}
        self.takes |= _used(table, statement) - sure
        self.defines |= own
        return sure | own if isinstance(statement, _SURE) else sure


def _imports(statements: Iterable[ast.stmt]) -> dict[str, str]:
    """The lines that give each name that a cell imports, and gives in no other way."""
    lines: dict[str, list[str]] = {}
    others = _Names()
    for statement in statements:
        match statement:
            case ast.Import(names) | ast.ImportFrom(names=names) if names[0].name != "*":
                for name in names:
                    one = copy.copy(statement)
                    one.names = [name]
                    given = name.asname or name.name.partition(".")[0]
                    lines.setdefault(given, []).append(ast.unparse(one))
            case _:
                others.read([statement], set())
                # A call on its own whose function is of what was imported: it may set something.
                if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
                    root = statement.value.func
                    while isinstance(root, ast.Attribute):
                        root = root.value
                    named = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
                    if isinstance(root, ast.Name) and named == {root.id} and root.id in lines:
                        lines[root.id].append(ast.unparse(statement))
    return {name: "\n".join(of) for name, of in lines.items() if name not in others.defines}


class _Lazy(ast.NodeTransformer):
    """Makes generators of lists, sets and dicts that a `for` fills.

    From Python 3.12 on, which is that of the page, symtable gives their own names to the scope
    around them; those of a generator it never does.
    """

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp) -> ast.AST:
        return self.generic_visit(ast.GeneratorExp(node.elt, node.generators))

    visit_SetComp = visit_ListComp

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        pair = ast.Tuple([node.key, node.value], ast.Load())
        return self.generic_visit(ast.GeneratorExp(pair, node.generators))


def _used(table: symtable.SymbolTable, statement: ast.stmt) -> set[str]:
    """The names of the top level that a statement uses, also within its functions."""
    found = set()
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        found.add(statement.target.id)
    todo = [table]
    while todo:
        scope = todo.pop()
        todo += scope.get_children()
        for symbol in scope.get_symbols():
            if symbol.is_referenced() and (scope is table or symbol.is_global()):
                found.add(symbol.get_name())
    return found
