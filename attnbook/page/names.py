"""What a cell defines and what it takes from other cells, by the names in it.

The build asks it of the cells of a page (`book/sphinx/python.py`), the page of what a reader wrote.
"""

import ast
import builtins
import symtable

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


def names(source: str) -> dict[str, list[str]]:
    """Return the names that a cell defines at its top level, and those that it takes.

    Not taken is what it surely defines before it is used. A cell that is no Python has no names.
    """
    defines: set[str] = set()
    takes: set[str] = set()
    sure: set[str] = set()
    try:
        statements = parse(source).body
    except SyntaxError:
        statements = []
    for statement in statements:
        lazy = _Lazy().visit(statement)
        table = symtable.symtable(ast.unparse(lazy), "cell", "exec")
        own = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}
        takes |= _used(table, statement) - sure
        defines |= own
        if isinstance(statement, _SURE):
            sure |= own
    defines |= takes & {GENERATOR}
    return {"defines": sorted(defines), "takes": sorted(takes - set(dir(builtins)))}


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
