"""Go's times and durations: layouts such as `2006-01-02`, `1h30m`, and the methods expressions call on them.

Times are aware `datetime`s, so a fraction finer than a microsecond is cut. Where Go would take the controller's
local zone we take UTC, which is what the controller's image has. Source: Go's package time.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from argojobs.expressions.regex import Pattern, compile_pattern
from argojobs.expressions.values import Duration, Function, failure, shorten
from argojobs.units import NANOSECONDS, nanoseconds

RFC3339 = "2006-01-02T15:04:05Z07:00"
RFC3339_NANO = "2006-01-02T15:04:05.999999999Z07:00"
DATE_LAYOUTS = (
    "2006-01-02",
    "15:04:05",
    "2006-01-02 15:04:05",
    RFC3339,
    "02 Jan 06 15:04 MST",
    "Monday, 02-Jan-06 15:04:05 MST",
    "Mon, 02 Jan 2006 15:04:05 MST",
)
"""What expr-lang's date(text) tries, in order."""

_MONTHS = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
]  # fmt: skip
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_ELEMENTS = re.compile(
    r"January|Jan|Monday|Mon|MST|2006|Z07:00:00|Z070000|Z07:00|Z0700|Z07|-07:00:00|-070000|-07:00|-0700|-07"
    r"|__2|002|01|02|03|04|05|06|15|_2(?!006)|PM|pm|[.,](?:0+|9+)(?!\d)|1|2|3|4|5"
)
_SPECIAL = re.compile(r"([\\.+*?()|\[\]{}^$])")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@lru_cache(maxsize=256)
def _elements(layout: str) -> tuple[tuple[bool, str], ...]:
    """Split a layout into (is an element, text), literals and elements alternating."""
    parts: list[tuple[bool, str]] = []
    position = 0
    for match in _ELEMENTS.finditer(layout):
        if match.start() > position:
            parts.append((False, layout[position : match.start()]))
        parts.append((True, match.group()))
        position = match.end()
    if position < len(layout):
        parts.append((False, layout[position:]))
    return tuple(parts)


def format_time(time: datetime, layout: str) -> str:
    """Write a time by a Go layout."""
    return "".join(
        _format_element(time, text) if element else text for element, text in _elements(layout)
    )


def _offset(time: datetime, element: str) -> str:
    seconds = int((time.utcoffset() or timedelta()).total_seconds())
    if element[0] == "Z" and seconds == 0:
        return "Z"
    sign, seconds = ("-" if seconds < 0 else "+"), abs(seconds)
    fields = [f"{seconds // 3600:02d}", f"{seconds // 60 % 60:02d}", f"{seconds % 60:02d}"]
    shape = element[1:]
    count = {"07": 1, "0700": 2, "07:00": 2}.get(shape, 3)
    return sign + (":" if ":" in shape else "").join(fields[:count])


def _format_element(time: datetime, element: str) -> str:
    if element[0] in ".,":
        digits = f"{time.microsecond:06d}000"[: len(element) - 1].ljust(len(element) - 1, "0")
        if element[1] == "9":
            digits = digits.rstrip("0")
        return element[0] + digits if digits else ""
    if element[0] in "Z-":
        return _offset(time, element)
    hour = time.hour % 12 or 12
    return {
        "January": _MONTHS[time.month - 1],
        "Jan": _MONTHS[time.month - 1][:3],
        "Monday": _DAYS[time.weekday()],
        "Mon": _DAYS[time.weekday()][:3],
        "MST": time.tzname() or "UTC",
        "2006": f"{time.year:04d}",
        "06": f"{time.year % 100:02d}",
        "01": f"{time.month:02d}",
        "1": str(time.month),
        "02": f"{time.day:02d}",
        "_2": f"{time.day:2d}",
        "2": str(time.day),
        "002": f"{time.timetuple().tm_yday:03d}",
        "__2": f"{time.timetuple().tm_yday:3d}",
        "15": f"{time.hour:02d}",
        "03": f"{hour:02d}",
        "3": str(hour),
        "04": f"{time.minute:02d}",
        "4": str(time.minute),
        "05": f"{time.second:02d}",
        "5": str(time.second),
        "PM": "PM" if time.hour >= 12 else "AM",
        "pm": "pm" if time.hour >= 12 else "am",
    }[element]


_PATTERNS = {
    "January": ("month_name", "|".join(_MONTHS)),
    "Jan": ("month_name", "|".join(name[:3] for name in _MONTHS)),
    "Monday": ("weekday", "|".join(_DAYS)),
    "Mon": ("weekday", "|".join(name[:3] for name in _DAYS)),
    "MST": ("zone", "[A-Z]{3,5}"),
    "2006": ("year", r"\d{4}"),
    "06": ("short_year", r"\d\d"),
    "01": ("month", r"\d\d"),
    "1": ("month", r"\d\d?"),
    "02": ("day", r"\d\d"),
    "_2": ("day", r" ?\d\d?"),
    "2": ("day", r"\d\d?"),
    "002": ("yearday", r"\d{3}"),
    "__2": ("yearday", r" {0,2}\d{1,3}"),
    "15": ("hour", r"\d\d?"),
    "03": ("hour", r"\d\d"),
    "3": ("hour", r"\d\d?"),
    "04": ("minute", r"\d\d"),
    "4": ("minute", r"\d\d?"),
    "05": ("second", r"\d\d(?:[.,]\d+)?"),
    "5": ("second", r"\d\d?(?:[.,]\d+)?"),
    "PM": ("half", "AM|PM"),
    "pm": ("half", "am|pm"),
}


@lru_cache(maxsize=256)
def _layout_pattern(layout: str) -> tuple[Pattern, tuple[str, ...]]:
    """Compile a layout to a pattern and the names of its groups."""
    names: list[str] = []
    pattern = ""
    seconds_may_have_fraction = False
    for element, text in _elements(layout):
        if not element:
            pattern += _SPECIAL.sub(r"\\\1", text)
        elif text[0] in ".,":
            # The pattern of the seconds before it has taken the fraction, as Go's parser does.
            if not seconds_may_have_fraction:
                pattern += r"[.,]\d+"
        else:
            if text[0] in "Z-":
                zulu = "Z|" if text[0] == "Z" else ""
                name, digits = "offset", zulu + r"[+-]\d\d(?::?\d\d){0,2}"
            else:
                name, digits = _PATTERNS[text]
            names.append(name)
            pattern += f"({digits})"
            seconds_may_have_fraction = name == "second"
            continue
        seconds_may_have_fraction = False
    return compile_pattern(pattern), tuple(names)


def parse_time(layout: str, text: str, zone: tzinfo = UTC) -> datetime:
    """Read a time by a Go layout.

    Args:
        layout: the form, as Go's reference time has it: `2006-01-02 15:04:05`.
        text: the time.
        zone: of a text that names none.

    Raises:
        ExpressionError: the text has another form, or is not a time.
    """
    pattern, names = _layout_pattern(layout)
    match = pattern.fullmatch(text)
    if match is None:
        raise failure(
            f"cannot read {shorten(text)} as a time of the form {layout!r}",
            "Go layouts name 2006-01-02 15:04:05",
        )
    fields = {name: found or "" for name, found in zip(names, match.groups[1:], strict=True)}
    try:
        return _build(fields, zone)
    except (ValueError, OverflowError) as error:
        raise failure(
            f"{shorten(text)} is not a time: {error}", "check its day, month and hour"
        ) from error


def _build(fields: dict[str, str], zone: tzinfo) -> datetime:
    # Go's year of a text without one is 0, which Python's datetime cannot hold; 1 is the nearest.
    year = int(fields.get("year", 1))
    if "short_year" in fields:
        short = int(fields["short_year"])
        year = short + (1900 if short >= 69 else 2000)
    month = int(fields.get("month", 1))
    if "month_name" in fields:
        month = next(
            index for index, name in enumerate(_MONTHS, 1) if name.startswith(fields["month_name"])
        )
    hour = int(fields.get("hour", 0))
    half = fields.get("half", "").upper()
    if half == "PM" and hour < 12:
        hour += 12
    elif half == "AM" and hour == 12:
        hour = 0
    second, _, fraction = fields.get("second", "0").replace(",", ".").partition(".")
    time = datetime(
        year,
        month,
        int(fields.get("day", 1)),
        hour,
        int(fields.get("minute", 0)),
        int(second),
        int(fraction[:6].ljust(6, "0")),
        tzinfo=_zone_of(fields, zone),
    )
    if "yearday" in fields:
        time = time.replace(month=1, day=1) + timedelta(days=int(fields["yearday"]) - 1)
    return time


def _zone_of(fields: dict[str, str], zone: tzinfo) -> tzinfo:
    offset = fields.get("offset")
    if offset is not None and offset != "Z":
        digits = offset[1:].replace(":", "").ljust(6, "0")
        seconds = int(digits[:2]) * 3600 + int(digits[2:4]) * 60 + int(digits[4:6])
        return timezone(timedelta(seconds=-seconds if offset[0] == "-" else seconds))
    if offset == "Z" or fields.get("zone") in {"UTC", "GMT"}:
        return UTC
    if "zone" in fields:  # an abbreviation that Go does not know is invented with offset zero
        return timezone(timedelta(), fields["zone"])
    return zone


def load_zone(name: str) -> tzinfo:
    """Find a time zone by its IANA name; "" and "UTC" are UTC, and so is "Local". Raises ExpressionError."""
    if name in {"", "UTC", "Local"}:
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise failure(
            f"unknown time zone {name}", "use an IANA name such as Europe/Berlin"
        ) from error


def read_date(text: str, zone: tzinfo = UTC) -> datetime:
    """Read a date in any of the forms of expr-lang's date(text). Raises ExpressionError."""
    for layout in DATE_LAYOUTS:
        if _layout_pattern(layout)[0].fullmatch(text):
            return parse_time(layout, text, zone)
    raise failure(
        f"invalid date {shorten(text)}", "write it as 2006-01-02, or give date(text, layout)"
    )


def time_text(time: datetime) -> str:
    """Write a time as Go's Time.String does."""
    return format_time(time, "2006-01-02 15:04:05.999999999 -0700 MST")


def parse_duration(text: str) -> Duration:
    """Read Go's `1h30m`, `-1.5s`, `0`. Raises ExpressionError."""
    length = nanoseconds(text)
    if length is None:
        raise failure(
            f"invalid duration {shorten(text)}", "write a number and a unit: 90s, 1h30m, 250ms"
        )
    return Duration(length)


def duration_text(duration: Duration) -> str:
    """Write a duration as Go does: `1h30m0s`, `1.5s`, `2ms`, `0s`."""
    size = abs(duration.nanoseconds)
    sign = "-" if duration.nanoseconds < 0 else ""
    if size < 10**9:
        for unit in ("ms", "µs", "ns"):
            if size >= NANOSECONDS[unit]:
                return f"{sign}{_trimmed(size, NANOSECONDS[unit])}{unit}"
        return "0s"
    minutes, rest = divmod(size, 60 * 10**9)
    hours, minutes = divmod(minutes, 60)
    text = f"{_trimmed(rest, 10**9)}s"
    if hours:
        return f"{sign}{hours}h{minutes}m{text}"
    return f"{sign}{minutes}m{text}" if minutes else sign + text


def _trimmed(nanoseconds: int, unit: int) -> str:
    whole, fraction = divmod(nanoseconds, unit)
    digits = str(fraction).rjust(len(str(unit)) - 1, "0").rstrip("0") if unit > 1 else ""
    return f"{whole}.{digits}" if digits else str(whole)


def add(time: datetime, duration: Duration) -> datetime:
    """Move a time by a duration. Raises ExpressionError outside the years 1 to 9999."""
    try:
        return time + timedelta(microseconds=duration.nanoseconds // 1000)
    except OverflowError as error:
        raise failure("the time is outside the years 1 to 9999", "add less") from error


def since(later: datetime, earlier: datetime) -> Duration:
    """Give the duration between two times."""
    return Duration((later - earlier) // timedelta(microseconds=1) * 1000)


def unix(time: datetime) -> int:
    """Give the whole seconds since 1970."""
    return since(time, _EPOCH).nanoseconds // 10**9


def _truncate(time: datetime, duration: Duration) -> datetime:
    if duration.nanoseconds <= 0:
        return time
    # Go counts from the year 1, so that "24h" cuts to midnight UTC and "168h" to a Monday.
    elapsed = since(time, datetime(1, 1, 1, tzinfo=UTC)).nanoseconds
    return add(time, Duration(-(elapsed % duration.nanoseconds)))


_TIME_METHODS: dict[str, Callable[[datetime], Function]] = {
    "Year": lambda time: lambda: time.year,
    "Month": lambda time: lambda: time.month,
    "Day": lambda time: lambda: time.day,
    "Hour": lambda time: lambda: time.hour,
    "Minute": lambda time: lambda: time.minute,
    "Second": lambda time: lambda: time.second,
    "Nanosecond": lambda time: lambda: time.microsecond * 1000,
    "Weekday": lambda time: lambda: time.isoweekday() % 7,
    "YearDay": lambda time: lambda: time.timetuple().tm_yday,
    "Unix": lambda time: lambda: unix(time),
    "UnixMilli": lambda time: lambda: since(time, _EPOCH).nanoseconds // 10**6,
    "UnixMicro": lambda time: lambda: since(time, _EPOCH).nanoseconds // 10**3,
    "UnixNano": lambda time: lambda: since(time, _EPOCH).nanoseconds,
    "UTC": lambda time: lambda: time.astimezone(UTC),
    "Local": lambda time: lambda: time.astimezone(UTC),
    "In": lambda time: time.astimezone,
    "String": lambda time: lambda: time_text(time),
    "Format": lambda time: lambda layout: format_time(time, layout),
    "Add": lambda time: lambda duration: add(time, duration),
    "Sub": lambda time: lambda other: since(time, other),
    "Before": lambda time: lambda other: time < other,
    "After": lambda time: lambda other: time > other,
    "Equal": lambda time: lambda other: time == other,
    "IsZero": lambda time: lambda: time == datetime(1, 1, 1, tzinfo=UTC),
    "Truncate": lambda time: lambda duration: _truncate(time, duration),
}
_DURATION_METHODS: dict[str, Callable[[Duration], Function]] = {
    "Hours": lambda duration: lambda: duration.nanoseconds / NANOSECONDS["h"],
    "Minutes": lambda duration: lambda: duration.nanoseconds / NANOSECONDS["m"],
    "Seconds": lambda duration: lambda: duration.nanoseconds / NANOSECONDS["s"],
    "Milliseconds": lambda duration: lambda: int(duration.nanoseconds / NANOSECONDS["ms"]),
    "Microseconds": lambda duration: lambda: int(duration.nanoseconds / NANOSECONDS["us"]),
    "Nanoseconds": lambda duration: lambda: duration.nanoseconds,
    "String": lambda duration: lambda: duration_text(duration),
    "Abs": lambda duration: lambda: Duration(abs(duration.nanoseconds)),
}


def method(value: datetime | Duration, name: str) -> Function:
    """Find a method of a time or a duration. Raises ExpressionError naming those there are."""
    if isinstance(value, datetime):
        bind_time = _TIME_METHODS.get(name)
        if bind_time is not None:
            return bind_time(value)
        raise failure(f"a time has no method {name}", "it has " + ", ".join(_TIME_METHODS))
    bind_duration = _DURATION_METHODS.get(name)
    if bind_duration is not None:
        return bind_duration(value)
    raise failure(f"a duration has no method {name}", "it has " + ", ".join(_DURATION_METHODS))
