"""From source text to code: parse, validate, rewrite, compile. One tree goes through all steps."""

import ast
from types import CodeType
from typing import Any, Final, NamedTuple

from limits import CODE_BYTES
from restricted import FORMAT_OF, Runtime
from validator import Issue, validate_tree

CODE_NAME: Final = "<function>"


class Invalid(Exception):
    def __init__(self, issues: list[Issue]) -> None:
        super().__init__("invalid code")
        self.issues = issues


class Compiled(NamedTuple):
    code: CodeType


def compile_source(source: str, form: str, runtime: Runtime, validate: bool) -> Compiled:
    """@throws Invalid with all that is wrong"""
    try:
        return _compile(source, form, runtime, validate)
    except SyntaxError as error:
        raise Invalid([Issue(error.lineno or 1, max(1, error.offset or 1), "syntax", error.msg)]) from None
    except RecursionError:
        raise Invalid([Issue(1, 1, "nesting", "The code is nested too deeply.")]) from None
    except MemoryError:
        raise Invalid([Issue(1, 1, "nesting", "The code is nested too deeply, or too large.")]) from None
    except (ValueError, OverflowError) as error:
        raise Invalid([Issue(1, 1, "syntax", str(error))]) from None


def _compile(source: str, form: str, runtime: Runtime, validate: bool) -> Compiled:
    if len(source.encode("utf-8")) > CODE_BYTES:
        raise Invalid([Issue(1, 1, "size", f"The code has more than {CODE_BYTES // 1024} KiB.")])
    tree = ast.parse(source, CODE_NAME)
    if validate:
        issues = validate_tree(tree, source, form, runtime.rules)
        if issues:
            raise Invalid(issues)
    _rewrite(tree, source)
    return Compiled(compile(tree, CODE_NAME, "exec", dont_inherit=True, optimize=0))


def _rewrite(tree: ast.Module, source: str) -> None:
    """
    `x.format` becomes a function that refuses attributes within the format string: the string is not known before the
    code runs. The first parameter of `execute` takes no keyword, so that an input may have its name.
    """
    for statement in tree.body:
        if isinstance(statement, ast.AsyncFunctionDef) and statement.name == "execute":
            arguments = statement.args
            if not arguments.posonlyargs and arguments.args:
                arguments.posonlyargs.append(arguments.args.pop(0))
    # Python reads letters of other alphabets as ASCII ones, so other text may have the word too.
    if "format" in source or not source.isascii():
        _Formats().visit(tree)


class _Formats(ast.NodeTransformer):
    def visit_Attribute(self, node: ast.Attribute) -> Any:
        self.generic_visit(node)
        if node.attr not in ("format", "format_map") or not isinstance(node.ctx, ast.Load):
            return node
        function = ast.Name(FORMAT_OF, ast.Load())
        call = ast.Call(function, [node.value, ast.Constant(node.attr)], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))
