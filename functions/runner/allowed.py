"""
What tenants' code may name. The validator refuses everything else before the code runs; the restricted runtime has
nothing else when it runs. Members that a version of Python lacks are left out there.
"""

from collections.abc import Mapping
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BUILTINS: Final = _words("""
    abs aiter all anext any ascii bin bool bytearray bytes callable chr classmethod complex dict divmod enumerate filter
    float format frozenset hash hex id int isinstance issubclass iter len list map max min next object oct ord pow print
    property range repr reversed round set slice sorted staticmethod str sum super tuple type zip
    Ellipsis NotImplemented
    ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError
    BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError
    ConnectionResetError DeprecationWarning EOFError EncodingWarning EnvironmentError Exception ExceptionGroup
    FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning
    IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError
    ModuleNotFoundError NameError NotADirectoryError NotImplementedError OSError OverflowError
    PendingDeprecationWarning PermissionError ProcessLookupError PythonFinalizationError RecursionError ReferenceError
    ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError
    SystemExit TabError TimeoutError TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError
    UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning ZeroDivisionError
""")
"""Built-in names. `type` has one parameter, and `print` writes log lines."""

GLOBALS: Final = _words("__name__ PlatformError")
TRIGGER_GLOBALS: Final = GLOBALS | _words("TriggerError")

MODULES: Final[Mapping[str, frozenset[str]]] = {
    "__future__": _words("annotations"),
    "asyncio": _words("gather sleep"),
    "base64": _words("""
        a85decode a85encode b16decode b16encode b32decode b32encode b32hexdecode b32hexencode b64decode b64encode
        b85decode b85encode decodebytes encodebytes standard_b64decode standard_b64encode urlsafe_b64decode
        urlsafe_b64encode z85decode z85encode
    """),
    "calendar": _words("""
        APRIL AUGUST Calendar DECEMBER Day FEBRUARY FRIDAY HTMLCalendar IllegalMonthError IllegalWeekdayError JANUARY
        JULY JUNE MARCH MAY MONDAY Month NOVEMBER OCTOBER SATURDAY SEPTEMBER SUNDAY THURSDAY TUESDAY TextCalendar
        WEDNESDAY calendar day_abbr day_name firstweekday isleap leapdays month month_abbr month_name monthcalendar
        monthrange setfirstweekday timegm weekday weekheader
    """),
    "collections": _words("ChainMap Counter OrderedDict UserDict UserList defaultdict deque namedtuple"),
    "copy": _words("Error copy deepcopy replace"),
    "csv": _words("""
        Dialect DictReader DictWriter Error QUOTE_ALL QUOTE_MINIMAL QUOTE_NONE QUOTE_NONNUMERIC QUOTE_NOTNULL
        QUOTE_STRINGS Sniffer excel excel_tab field_size_limit get_dialect list_dialects reader register_dialect
        unix_dialect unregister_dialect writer
    """),
    "dataclasses": _words("""
        FrozenInstanceError InitVar KW_ONLY MISSING asdict astuple dataclass field fields is_dataclass replace
    """),
    "datetime": _words("MAXYEAR MINYEAR UTC date datetime time timedelta timezone tzinfo"),
    "decimal": _words("""
        BasicContext Clamped Context ConversionSyntax Decimal DecimalException DecimalTuple DefaultContext
        DivisionByZero DivisionImpossible DivisionUndefined ExtendedContext FloatOperation HAVE_THREADS Inexact
        InvalidContext InvalidOperation MAX_EMAX MAX_PREC MIN_EMIN MIN_ETINY Overflow ROUND_05UP ROUND_CEILING
        ROUND_DOWN ROUND_FLOOR ROUND_HALF_DOWN ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP Rounded Subnormal Underflow
        getcontext localcontext setcontext
    """),
    "enum": _words("""
        CONFORM CONTINUOUS EJECT Enum EnumCheck Flag FlagBoundary IntEnum IntFlag KEEP NAMED_FLAGS STRICT StrEnum UNIQUE
        auto member nonmember unique verify
    """),
    "fractions": _words("Fraction"),
    "functools": _words("""
        cache cached_property cmp_to_key lru_cache partial partialmethod reduce total_ordering update_wrapper wraps
    """),
    "hashlib": _words("""
        algorithms_available algorithms_guaranteed blake2b blake2s md5 new pbkdf2_hmac sha1 sha224 sha256 sha384 sha3_224
        sha3_256 sha3_384 sha3_512 sha512 shake_128 shake_256
    """),
    "heapq": _words("heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest"),
    "hmac": _words("compare_digest digest new"),
    "html": _words("escape unescape"),
    "io": _words("BytesIO StringIO"),
    "itertools": _words("""
        accumulate batched chain combinations combinations_with_replacement compress count cycle dropwhile filterfalse
        groupby islice pairwise permutations product repeat starmap takewhile tee zip_longest
    """),
    "json": _words("JSONDecodeError JSONDecoder JSONEncoder dump dumps load loads"),
    "math": _words("""
        acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist e erf erfc exp exp2 expm1
        fabs factorial floor fma fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt lcm ldexp lgamma
        log log10 log1p log2 modf nan nextafter perm pi pow prod radians remainder sin sinh sqrt sumprod tan tanh tau
        trunc ulp
    """),
    "operator": _words("""
        abs add and_ call concat contains countOf delitem eq floordiv ge getitem gt iadd iand iconcat ifloordiv ilshift
        imatmul imod imul index indexOf inv invert ior ipow irshift is_ is_none is_not is_not_none isub itemgetter
        itruediv ixor le length_hint lshift lt matmul mod mul ne neg not_ or_ pos pow rshift setitem sub truediv truth
        xor
    """),
    "random": _words("""
        Random SystemRandom betavariate binomialvariate choice choices expovariate gammavariate gauss getrandbits
        getstate lognormvariate normalvariate paretovariate randbytes randint random randrange sample seed setstate
        shuffle triangular uniform vonmisesvariate weibullvariate
    """),
    "re": _words("""
        A ASCII DOTALL I IGNORECASE L LOCALE M MULTILINE Match NOFLAG Pattern PatternError RegexFlag S U UNICODE VERBOSE
        X compile error escape findall finditer fullmatch match purge search split sub subn
    """),
    "secrets": _words("""
        SystemRandom choice compare_digest randbelow randbits token_bytes token_hex token_urlsafe
    """),
    "statistics": _words("""
        NormalDist StatisticsError correlation covariance fmean geometric_mean harmonic_mean kde kde_random
        linear_regression mean median median_grouped median_high median_low mode multimode pstdev pvariance quantiles
        stdev variance
    """),
    "string": _words("""
        Template ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits octdigits printable punctuation
        whitespace
    """),
    "tenantry": _words("Event Level Platform PlatformError Record TriggerContext TriggerError"),
    "textwrap": _words("TextWrapper dedent fill indent shorten wrap"),
    "time": _words("""
        altzone asctime ctime daylight gmtime localtime mktime monotonic monotonic_ns perf_counter perf_counter_ns
        process_time process_time_ns sleep strftime strptime struct_time time time_ns timezone tzname
    """),
    "typing": _words("""
        AbstractSet Annotated Any AnyStr AsyncGenerator AsyncIterable AsyncIterator Awaitable ByteString Callable
        ChainMap ClassVar Collection Concatenate Container Coroutine Counter DefaultDict Deque Dict Final FrozenSet
        Generator Generic Hashable ItemsView Iterable Iterator KeysView List Literal LiteralString Mapping MappingView
        MutableMapping MutableSequence MutableSet NamedTuple Never NewType NoReturn NotRequired Optional OrderedDict
        ParamSpec Protocol Required Reversible Self Sequence Set Sized SupportsAbs SupportsBytes SupportsComplex
        SupportsFloat SupportsIndex SupportsInt SupportsRound Text Tuple Type TYPE_CHECKING TypeAlias TypeGuard TypeIs
        TypeVar TypeVarTuple TypedDict Union Unpack ValuesView assert_never assert_type cast final is_typeddict
        overload override reveal_type runtime_checkable
    """),
    "unicodedata": _words("""
        bidirectional category combining decimal decomposition digit east_asian_width is_normalized lookup mirrored name
        normalize numeric unidata_version
    """),
    "urllib": _words("parse"),
    "urllib.parse": _words("""
        DefragResult DefragResultBytes ParseResult ParseResultBytes SplitResult SplitResultBytes parse_qs parse_qsl quote
        quote_from_bytes quote_plus unquote unquote_plus unquote_to_bytes urldefrag urlencode urljoin urlparse urlsplit
        urlunparse urlunsplit
    """),
    "uuid": _words("NAMESPACE_DNS NAMESPACE_OID NAMESPACE_URL NAMESPACE_X500 SafeUUID UUID uuid3 uuid4 uuid5"),
    "zoneinfo": _words("InvalidTZPathWarning ZoneInfo ZoneInfoNotFoundError available_timezones"),
}
"""
Left out, because they read attributes by name or evaluate text: operator.attrgetter and methodcaller, string.Formatter,
collections.UserString, functools.singledispatch, typing.get_type_hints, get_args and ForwardRef,
dataclasses.make_dataclass, enum's metaclass.
"""

METHODS: Final = _words("""
    __init__ __post_init__ __call__ __repr__ __str__ __format__ __bytes__ __bool__ __hash__ __len__ __length_hint__
    __int__ __float__ __complex__ __index__ __round__ __trunc__ __floor__ __ceil__
    __eq__ __ne__ __lt__ __le__ __gt__ __ge__
    __iter__ __next__ __reversed__ __contains__ __getitem__ __setitem__ __delitem__ __missing__
    __aiter__ __anext__ __enter__ __exit__ __aenter__ __aexit__ __copy__ __deepcopy__
    __neg__ __pos__ __abs__ __invert__
    __add__ __sub__ __mul__ __matmul__ __truediv__ __floordiv__ __mod__ __divmod__ __pow__ __lshift__ __rshift__ __and__
    __xor__ __or__
    __radd__ __rsub__ __rmul__ __rmatmul__ __rtruediv__ __rfloordiv__ __rmod__ __rdivmod__ __rpow__ __rlshift__
    __rrshift__ __rand__ __rxor__ __ror__
    __iadd__ __isub__ __imul__ __imatmul__ __itruediv__ __ifloordiv__ __imod__ __ipow__ __ilshift__ __irshift__ __iand__
    __ixor__ __ior__
""")
"""Special methods that a class may define, and call on `super()` and on a base class."""

SPECIAL_ATTRIBUTES: Final = _words("__name__")
"""Special attributes that may be read."""

PRIVATE_ATTRIBUTES: Final = _words("_asdict _replace _fields _make _field_defaults _value_ _name_")
"""Private attributes of the standard library that are its documented interface. They may be read."""

PRIVATE_METHODS: Final = _words("_missing_ _generate_next_value_ _ignore_")
"""Private names that a class may define for the standard library."""

REFUSED_ATTRIBUTES: Final = _words("""
    obj attrname
    gi_code gi_frame gi_running gi_suspended gi_yieldfrom
    cr_await cr_code cr_frame cr_origin cr_running cr_suspended
    ag_await ag_code ag_frame ag_running ag_suspended
    tb_frame tb_lasti tb_lineno tb_next with_traceback
    f_back f_builtins f_code f_generator f_globals f_lasti f_lineno f_locals f_trace f_trace_lines f_trace_opcodes
    co_argcount co_code co_consts co_names co_varnames co_freevars co_cellvars co_filename co_name co_flags replace_code
    func_globals func_code im_func im_self
""")
"""They lead to frames and their variables. `attrname` of a cached property sets special attributes by name."""

SYNTAX: Final = _words("""
    Module Expr Assign AugAssign AnnAssign For AsyncFor While If With AsyncWith Try TryStar Raise Assert Return Delete
    Pass Break Continue Lambda Match match_case MatchValue MatchSingleton MatchSequence MatchOr
    BoolOp NamedExpr BinOp UnaryOp IfExp Dict Set ListComp SetComp DictComp GeneratorExp Await Yield YieldFrom Compare
    FormattedValue JoinedStr Subscript Starred List Tuple Slice comprehension arguments withitem alias
    Load Store Del And Or Add Sub Mult MatMult Div Mod Pow LShift RShift BitOr BitXor BitAnd FloorDiv Invert Not UAdd
    USub Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn
""")
"""Syntax that needs no check of its own. What a later version of Python adds is refused."""
