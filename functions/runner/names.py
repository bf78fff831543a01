"""Names of built-ins, resolved with Python's own symbol table."""

import ast
import builtins
import symtable
from collections.abc import Callable, Iterator
from typing import Final

from allowed import BUILTINS, GLOBALS, TRIGGER_GLOBALS

_REFUSED: Final = frozenset(dir(builtins)) - BUILTINS - GLOBALS
"""Built-ins that tenants' code does not have."""


def check_names(
    source: str, form: str, positions: dict[str, ast.AST], refuse: Callable[[int, int, str, str], None]
) -> None:
    """
    Refuses names that are neither defined by the code nor allowed. A variable of a function may have the name of a
    refused built-in, because it never stands for the built-in. A global name or a name in a class body would, before
    it is set and after it is deleted.
    """
    given = BUILTINS | (TRIGGER_GLOBALS if form == "trigger" else GLOBALS)
    top = symtable.symtable(source, "<function>", "exec")
    tables = list(_all(top))
    defined = {symbol.get_name() for symbol in top.get_symbols() if _is_bound(symbol)}
    for table in tables:
        defined.update(
            symbol.get_name() for symbol in table.get_symbols() if symbol.is_declared_global() and _is_bound(symbol)
        )
    bad: set[str] = set()
    for table in tables:
        is_class = table.get_type() == "class"
        for symbol in table.get_symbols():
            name = symbol.get_name()
            if name in given or not symbol.is_referenced():
                continue
            is_outer = symbol.is_global() or table is top
            if (is_outer and (name not in defined or name in _REFUSED)) or (is_class and name in _REFUSED):
                bad.add(name)
    for name in bad:
        node = positions.get(name)
        line, offset = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        what = "cannot be used" if name in _REFUSED else "is not defined"
        refuse(line, offset, "name", f"The name {name} {what}.")


def _is_bound(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()


def _all(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    stack = [table]
    while stack:
        each = stack.pop()
        yield each
        stack.extend(each.get_children())
