"""
Checks tenants' code before it runs: allow-lists of syntax, names, attributes and members of modules. It runs in a
locked child too, because the parser itself can be attacked by deep nesting.
"""

import ast
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from allowed import METHODS, MODULES, REFUSED_ATTRIBUTES, SYNTAX
from attributes import FORMATS, is_definable, is_readable, is_special, is_writable
from checks import list_of
from names import check_names
from texts import check_characters, check_signature, format_attributes
from restricted import Rules

MOST_ISSUES: Final = 100
_CLASS_KEYWORDS: Final = frozenset({"total", "boundary"})
_CLASS_VALUES: Final = frozenset({"__slots__", "__hash__"})
"""Special names that a class may set to a value."""


class Issue(NamedTuple):
    line: int
    column: int
    rule: str
    message: str


def validate_tree(tree: ast.Module, source: str, form: str, rules: Rules) -> list[Issue]:
    """All that is refused, in the order of the text. Lines and columns begin with 1."""
    validator = _Validator(source, rules)
    validator.walk(tree)
    validator.check_members()
    validator.check_calls()
    check_signature(tree, form, validator.refuse)
    check_names(source, form, validator.positions, validator.refuse_at)
    check_characters(source, validator.refuse_at)
    return sorted(set(validator.issues))[:MOST_ISSUES]


class _Validator:
    def __init__(self, source: str, rules: Rules) -> None:
        self._source = source
        self._rules = rules
        self._modules: dict[str, set[str]] = {}
        self._stored: set[str] = set()
        self._members: list[ast.Attribute] = []
        self._functions: dict[str, str] = {}
        self._in_classes: set[ast.AST] = set()
        self._calls: list[ast.Call] = []
        self.issues: list[Issue] = []
        self.positions: dict[str, ast.AST] = {}

    def walk(self, tree: ast.Module) -> None:
        """Without recursion: the depth of the tree is the tenant's."""
        stack: list[ast.AST] = [tree]
        find = _CHECKS.get
        while stack:
            node = stack.pop()
            check = find(type(node).__name__)
            if check is None:
                self.refuse(node, "syntax", f"{_describe(node)} cannot be used.")
                continue
            if check is not _accept:
                check(self, node)
            # In the order of the text, so that the first use of a name is found first.
            for name in reversed(node._fields):
                value: Any = getattr(node, name, None)
                if isinstance(value, ast.AST):
                    stack.append(value)
                elif (values := list_of(value)) is not None:
                    stack.extend(each for each in reversed(values) if isinstance(each, ast.AST))

    def refuse(self, node: ast.AST, rule: str, message: str) -> None:
        self.refuse_at(getattr(node, "lineno", 1), getattr(node, "col_offset", 0), rule, message)

    def refuse_at(self, line: int, offset: int, rule: str, message: str) -> None:
        """`offset`: bytes of UTF-8, as in the syntax tree."""
        if len(self.issues) >= 10 * MOST_ISSUES:
            return
        if not self._source.isascii():
            lines = self._source.encode("utf-8", "replace").splitlines()
            before = lines[line - 1][:offset] if line <= len(lines) else b""
            offset = len(before.decode("utf-8", "replace"))
        self.issues.append(Issue(line, offset + 1, rule, message))

    def _name_is_plain(self, node: ast.AST, name: str) -> None:
        if not name.isascii():
            self.refuse(node, "identifier", f"The name {name} has other characters than ASCII letters, digits and _.")
        if is_special(name):
            self.refuse(node, "name", f"The name {name} cannot be used.")

    def name(self, node: ast.Name) -> None:
        name = node.id
        if name[0] == "_" or not name.isascii():
            is_read = isinstance(node.ctx, ast.Load)
            if not (is_read and name == "__name__") and not (name in _CLASS_VALUES and not is_read):
                self._name_is_plain(node, name)
        self.positions.setdefault(name, node)
        if not isinstance(node.ctx, ast.Load):
            self._stored.add(name)

    def attribute(self, node: ast.Attribute) -> None:
        name, value = node.attr, node.value
        if not name.isascii():
            self._name_is_plain(node, name)
        if not isinstance(node.ctx, ast.Load):
            if not is_writable(name, self._rules.private):
                self._refuse_attribute(node, name)
            return
        if name in METHODS and (isinstance(value, ast.Name) or _is_super(value)):
            return
        if not is_readable(name, self._rules.private):
            self._refuse_attribute(node, name)
        elif isinstance(value, (ast.Name, ast.Attribute)):
            self._members.append(node)

    def call(self, node: ast.Call) -> None:
        self._calls.append(node)

    def check_calls(self) -> None:
        """The names of fields become source text in the standard library, so the code must show them."""
        for node in self._calls:
            function = node.func
            name = function.attr if isinstance(function, ast.Attribute) else self._functions.get(_name_of(function))
            if name == "field" and node not in self._in_classes:
                self.refuse(node, "field", "field() can only be the value of an annotated name in a class body.")
            if name == "TypedDict":
                self.refuse(node, "field", "TypedDict can only be the base of a class.")

    def constant(self, node: ast.Constant) -> None:
        """Format strings that show what they read. Others are checked when they are used."""
        value = node.value
        if isinstance(value, str) and "{" in value:
            for name in format_attributes(value):
                if not is_readable(name, self._rules.private):
                    self._refuse_attribute(node, name)

    def check_members(self) -> None:
        """Members of modules, where a name can only stand for a module."""
        for node in self._members:
            modules = self._modules_of(node.value)
            if modules and not any(node.attr in self._rules.members[module] for module in modules):
                self.refuse(node, "member", f"{node.attr} is not available in {' or '.join(sorted(modules))}.")

    def _modules_of(self, node: ast.expr) -> set[str]:
        if isinstance(node, ast.Name):
            return self._modules.get(node.id, set()) if node.id not in self._stored else set()
        if isinstance(node, ast.Attribute) and node.attr == "parse" and "urllib" in self._modules_of(node.value):
            return {"urllib.parse"}
        return set()

    def _refuse_attribute(self, node: ast.AST, name: str) -> None:
        why = " It leads to variables of other code." if name in REFUSED_ATTRIBUTES else ""
        self.refuse(node, "attribute", f"The attribute {name} cannot be used.{why}")

    def import_(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.name not in MODULES or alias.name == "urllib":
                self.refuse(alias, "import", f"The module {alias.name} cannot be imported.")
            else:
                bound = alias.name if alias.asname else alias.name.partition(".")[0]
                self._modules.setdefault(alias.asname or bound, set()).add(bound)
            if alias.asname:
                self._name_is_plain(alias, alias.asname)

    def import_from(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if node.level or module not in MODULES:
            self.refuse(node, "import", f"The module {'.' * node.level}{module} cannot be imported.")
            return
        for alias in node.names:
            self._stored.add(alias.asname or alias.name)
            self._functions[alias.asname or alias.name] = alias.name
            if alias.name not in self._rules.members[module]:
                what = "Everything" if alias.name == "*" else alias.name
                self.refuse(alias, "member", f"{what} cannot be imported from {module}.")
            if alias.asname:
                self._name_is_plain(alias, alias.asname)

    def class_(self, node: ast.ClassDef) -> None:
        self._name_is_plain(node, node.name)
        self._stored.add(node.name)
        for keyword in node.keywords:
            if keyword.arg not in _CLASS_KEYWORDS:
                self.refuse(keyword.value, "class", f"A class cannot have the argument {keyword.arg or '**'}.")
        for statement in node.body:
            if isinstance(statement, ast.AnnAssign):
                if isinstance(statement.value, ast.Call):
                    self._in_classes.add(statement.value)
                if _name_of(statement.target) in FORMATS:
                    self.refuse(statement, "class", "A field cannot have the name of a method of str.")
            self._in_classes.add(statement)
            for name in _names_defined_by(statement):
                if not is_definable(name, self._rules.private) and name not in _CLASS_VALUES:
                    self.refuse(statement, "class", f"A class cannot define {name}.")

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._stored.add(node.name)
        # The names of methods are checked with their class.
        if node not in self._in_classes:
            self._name_is_plain(node, node.name)

    def argument(self, node: ast.arg) -> None:
        self._stored.add(node.arg)
        self._name_is_plain(node, node.arg)

    def keyword(self, node: ast.keyword) -> None:
        if node.arg is not None:
            self._name_is_plain(node, node.arg)

    def handler(self, node: ast.ExceptHandler) -> None:
        if node.name is not None:
            self._name_is_plain(node, node.name)

    def scope(self, node: ast.Global | ast.Nonlocal) -> None:
        for name in node.names:
            self._name_is_plain(node, name)

    def capture(self, node: ast.MatchAs | ast.MatchStar) -> None:
        if node.name is not None:
            self._name_is_plain(node, node.name)
            self._stored.add(node.name)

    def rest(self, node: ast.MatchMapping) -> None:
        if node.rest is not None:
            self._name_is_plain(node, node.rest)

    def class_pattern(self, node: ast.MatchClass) -> None:
        for name in node.kwd_attrs:
            if not is_readable(name, self._rules.private) or name in FORMATS:
                self._refuse_attribute(node, name)


def _accept(validator: _Validator, node: Any) -> None:
    """Syntax without a rule of its own."""


_CHECKS: Final[dict[str, Callable[[_Validator, Any], None]]] = {
    **dict.fromkeys(SYNTAX, _accept),
    "Name": _Validator.name,
    "Attribute": _Validator.attribute,
    "Call": _Validator.call,
    "Constant": _Validator.constant,
    "Import": _Validator.import_,
    "ImportFrom": _Validator.import_from,
    "ClassDef": _Validator.class_,
    "FunctionDef": _Validator.function,
    "AsyncFunctionDef": _Validator.function,
    "arg": _Validator.argument,
    "keyword": _Validator.keyword,
    "ExceptHandler": _Validator.handler,
    "Global": _Validator.scope,
    "Nonlocal": _Validator.scope,
    "MatchAs": _Validator.capture,
    "MatchStar": _Validator.capture,
    "MatchMapping": _Validator.rest,
    "MatchClass": _Validator.class_pattern,
}


def _describe(node: ast.AST) -> str:
    kind = type(node).__name__
    known = {"TypeAlias": "A type statement", "TypeVar": "A type parameter"}
    return known.get(kind, f"The syntax {kind}")


def _is_super(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _name_of(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _names_defined_by(statement: ast.stmt) -> list[str]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [statement.name]
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
        targets = [statement.target]
    return [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
