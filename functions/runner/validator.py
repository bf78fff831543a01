"""Checks tenants' code before it runs."""

import ast
from typing import Any, NamedTuple


class Issue(NamedTuple):
    line: int
    column: int
    rule: str
    message: str


def validate_tree(tree: ast.Module, source: str, form: str, rules: Any) -> list[Issue]:
    del source, rules
    for statement in tree.body:
        if isinstance(statement, ast.AsyncFunctionDef) and statement.name == "execute":
            return []
    wanted = "async def execute(context)" if form == "trigger" else "async def execute(platform, **kwargs)"
    return [Issue(1, 1, "signature", f"The code must define {wanted}.")]
