"""Sizes and times of the runner. The dispatcher has the same limits; these hold if it does not apply them."""

from typing import Final

MIB: Final = 1024 * 1024

CODE_BYTES: Final = 256 * 1024
"""Source text of one function, in UTF-8."""
INPUT_BYTES: Final = MIB
"""Keyword arguments as JSON."""
OUTPUT_BYTES: Final = MIB
"""What a function returns, as JSON."""
MAPS_BYTES: Final = 5 * MIB
"""The maps of a trigger, as JSON. The payload of a Lambda is at most 6 MB."""
CALL_BYTES: Final = MIB
"""One context call as JSON."""
REPLY_BYTES: Final = 6 * MIB
"""The reply to a context call."""
CALLS: Final = 1_000
"""Context calls of one execution."""
PARALLEL_CALLS: Final = 4
"""Context calls of one execution at once, from `asyncio.gather`."""
LOG_LINES: Final = 1_000
LOG_BYTES: Final = 256 * 1024
"""All messages of one execution together, in UTF-8."""
MESSAGE_CHARACTERS: Final = 4_000
"""The message of an error."""
JOB_BYTES: Final = CODE_BYTES + MAPS_BYTES + 2 * MIB
FRAME_BYTES: Final = OUTPUT_BYTES + MAPS_BYTES + MIB
"""The largest frame that a child sends, with room for names and escapes."""
MEMORY_MB: Final = 256
"""The largest and the default `memory_mb`."""
CHECK_MILLISECONDS: Final = 5_000
MARGIN_MILLISECONDS: Final = 250
"""The runner answers this long before its own Lambda would be ended."""
