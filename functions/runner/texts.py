"""What the validator reads beside the tree: the form of `execute`, characters of identifiers, and format strings."""

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from typing import Final

_FIELD: Final = re.compile(r"\{\w*((?:\.\w+|\[[^\]{}]*\])+)")
_ATTRIBUTE: Final = re.compile(r"\.(\w+)")


def check_signature(tree: ast.Module, form: str, refuse: Callable[[ast.AST, str, str], None]) -> None:
    found = [each for each in tree.body if getattr(each, "name", None) == "execute"]
    wanted = "async def execute(context)" if form == "trigger" else "async def execute(platform, **kwargs)"
    if not found:
        refuse(tree, "signature", f"The code must define {wanted}.")
    for each in found:
        if not isinstance(each, ast.AsyncFunctionDef):
            refuse(each, "signature", f"execute must be defined as {wanted}.")
        elif not each.args.posonlyargs and not each.args.args:
            refuse(each, "signature", f"execute needs a first parameter: {wanted}.")
    if len(found) > 1:
        refuse(found[1], "signature", "execute is defined more than once.")


def check_characters(source: str, refuse: Callable[[int, int, str, str], None]) -> None:
    """Python takes other alphabets' letters for ASCII ones, so that a name can look like another."""
    if source.isascii():
        return
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.NAME and not token.string.isascii():
                line, column = token.start
                offset = len(token.line[:column].encode("utf-8"))
                message = f"The name {token.string} has other characters than ASCII letters, digits and _."
                refuse(line, offset, "identifier", message)
    except (tokenize.TokenError, SyntaxError):
        refuse(1, 0, "identifier", "The code has characters that cannot be read.")


def format_attributes(text: str) -> Iterator[str]:
    """The attributes that a text reads if it is a format string."""
    for field in _FIELD.finditer(text):
        yield from _ATTRIBUTE.findall(field.group(1))
