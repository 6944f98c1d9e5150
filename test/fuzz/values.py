"""The types that columns and constants have, and values of each.

A value is what stands between the quotes of an SQL literal, or None for NULL:
it goes to the server as 'value'::type and is never interpreted here, so no
client-side type can round, fold or lose it.

Values are drawn from few: half of them edge cases (limits, NaN, -0, infinities,
empty and very long strings, equal values with different bytes), half random ones
out of a small range, so that rows and constants meet.

A type belongs to a family; within one family all comparisons work, if need be
after a cast that PostgreSQL puts in.  Families without comparisons (jsonb, ...)
are there to be walked over.
"""

import datetime
import uuid

NULL_SHARE = 0.2

# Characters: LIKE's own, blanks, case folding at its worst, two to four bytes,
# combining.
ALPHABET = ['a', 'b', 'c', 'A', 'B', 'i', 'I', 'k', 's', '1', '2', ' ', '%', '_', '\\', '.',
            '\n', 'é', 'É', 'ß', 'ẞ', 'İ', 'ı', '\u212a', 'ſ', 'Σ', 'ς', '日', '本', '😀', '\u0301',
            '\u00a0', '\x01', '\x7f', '\U0010ffff']


class Type:
    """One SQL type.  'sql' is its name with modifier; 'draw' makes a value."""

    def __init__(self, sql, family, draw, varlena=False, collatable=False, base=None):
        self.sql = sql
        self.family = family
        self.draw = draw
        self.varlena = varlena
        self.collatable = collatable
        # what a parameter or a cast names: without the modifier
        self.base = base or sql

    def value(self, rng):
        """A value, never NULL."""
        return self.draw(rng)

    def literal(self, value):
        """The value as an SQL expression."""
        return f'{quote(value)}::{self.sql}'


def quote(value):
    """As an untyped literal."""
    return 'NULL' if value is None else "'" + value.replace("'", "''") + "'"


def edges_or(edges, random_value, edge_share=0.5):
    """A drawing function: one of the edges, or what random_value(rng) makes."""
    def draw(rng):
        return rng.choice(edges) if rng.random() < edge_share else random_value(rng)
    return draw


def integers(bits):
    """Values of a signed integer of so many bits."""
    top = 2 ** (bits - 1)
    edges = [0, 1, -1, 2, top - 1, -top, top - 2, 32767, -32768]
    return edges_or([str(n) for n in edges], lambda rng: str(rng.randint(-10, 20)), 0.3)


def text_value(rng):
    """Any string, as text holds it: mostly short, now and then past a TOAST limit."""
    kind = rng.random()
    if kind < 0.08:
        return ''
    if kind < 0.35:
        return rng.choice(['a', 'ab', 'abc', 'ABC', 'abc ', 'abc  ', ' abc', 'a%c', 'a_c', 'a\\c', 'e\u0301',
                           'é', 'ß', 'ss', 'İstanbul', 'istanbul', '日本', '😀😀', '10', '-0', ' '])
    if kind < 0.88:
        return ''.join(rng.choice(ALPHABET) for _ in range(rng.randint(1, 12)))
    if kind < 0.94:
        # about the border between the short and the long header
        return rng.choice(['a', 'é', 'b ']) * rng.randint(60, 130)
    if kind < 0.97:
        return ('abc' + rng.choice(ALPHABET)) * rng.randint(500, 2500)
    return ''.join(chr(rng.randint(33, 126)) for _ in range(rng.randint(1900, 9000)))


def person_value(rng):
    """Names as gpustr.redact() takes them apart: one or more words, blanks between, before and after."""
    words = [rng.choice(['Jane', 'Doe', 'Ann', 'Zoë', 'Öberg', '小明', '王', '😀x', 'e\u0301', 'O', 'a' * 130, ''])
             for _ in range(rng.choice([1, 2, 2, 2, 2, 3, 4]))]
    return rng.choice([' ', ' ', ' ', '  ', '   ', '\u00a0']).join(words)


def visibility_value(rng):
    """What gpustr.redact() looks at: mostly 'public', or nearly."""
    return rng.choice(['public'] * 6 + ['private', 'private', 'Public', 'public ', 'publi', 'publicc', '', 'publiç'])


def text_of(limit):
    """Strings of at most so many characters."""
    def draw(rng):
        value = text_value(rng)
        return value[:limit] if len(value) > limit else value
    return draw


def name_value(rng):
    """Strings that a name keeps whole: less than 64 bytes."""
    value = text_value(rng)
    while len(value.encode()) > 63:
        value = value[:len(value) // 2]
    return value


def float_value(digits):
    """Values of a binary float that prints with so many digits."""
    top = '3.4e38' if digits == 6 else '1.7e308'
    small = '1.2e-38' if digits == 6 else '2.3e-308'
    return edges_or(['0', '-0', '1', '-1', 'NaN', 'Infinity', '-Infinity', top, '-' + top, small, '0.1', '1e10',
                     '16777217', '9007199254740993', '2.5', '3.5', '-2.5', '32767.5'],
                    lambda rng: str(rng.randint(-40, 40) / 4))


def numeric_value(rng):
    """Equal ones with different scales, special values, many digits."""
    kind = rng.random()
    if kind < 0.5:
        return rng.choice(['0', '0.00', '1', '1.0', '1.000', '-1', 'NaN', 'Infinity', '-Infinity', '1e-20', '1e40',
                           '100', '1e2', '10000', '9999', '99999999', '123456789012345678901234567890.12345',
                           '-0.0001', '0.1', '0.10', '2147483648', '9223372036854775808'])
    if kind < 0.9:
        return f'{rng.randint(-20, 20)}.{rng.randint(0, 3) * 25}'
    return str(rng.randint(-10 ** 40, 10 ** 40))


def date_value(rng):
    """Days about 2000-01-01."""
    return (datetime.date(2000, 1, 1) + datetime.timedelta(days=rng.randint(-15, 15))).isoformat()


def time_value(rng):
    """Times of day on few minutes."""
    return f'{rng.randint(0, 23):02}:{rng.choice([0, 30, 59]):02}:{rng.choice([0, 59]):02}'


def timestamp_value(rng):
    """A day and a time."""
    return f'{date_value(rng)} {rng.choice(["00:00:00", "12:00:00.000001", "23:59:59.999999", time_value(rng)])}'


def interval_value(rng):
    """Few months, days and hours: many are equal with different fields."""
    return f'{rng.randint(-2, 2)} mons {rng.choice([-30, -1, 0, 1, 30, 60])} days {rng.choice([-24, 0, 1, 24, 720])} hours'


def uuid_value(rng):
    """Of 40."""
    return str(uuid.UUID(int=rng.randint(0, 40) << rng.choice([0, 64, 120])))


def bytea_value(rng):
    """In hexadecimal; now and then long."""
    length = rng.choice([0, 1, 1, 2, 3, 8, 126, 127, 2500]) if rng.random() < 0.3 else rng.randint(0, 3)
    return '\\x' + ''.join(rng.choice(['00', '61', '62', '80', 'ff', '25']) for _ in range(length))


ENUM = ['sad', 'ok', 'happy', 'Über', 'a%']

dates = edges_or(['-infinity', 'infinity', '4713-01-01 BC', '5874897-12-31', '294276-12-31', '2000-01-01', '1999-12-31',
                  '2000-02-29'], date_value, 0.25)
timestamps = edges_or(['-infinity', 'infinity', '4713-01-01 00:00:00 BC', '294276-12-31 23:59:59.999999',
                       '2000-01-01 00:00:00', '1970-01-01 00:00:00'], timestamp_value, 0.25)

BOOL = Type('bool', 'bool', lambda rng: rng.choice(['t', 'f']))
CHAR = Type('"char"', 'char', lambda rng: rng.choice(['', 'a', 'b', 'c', 'A', ' ', '1', 'é', '日', '%']))
INT2 = Type('int2', 'int', integers(16))
INT4 = Type('int4', 'int', integers(32))
INT8 = Type('int8', 'int', integers(64))
FLOAT4 = Type('float4', 'float', float_value(6))
FLOAT8 = Type('float8', 'float', float_value(15))
NUMERIC = Type('numeric', 'numeric', numeric_value, varlena=True)
NUMERIC_8_2 = Type('numeric(8,2)', 'numeric', lambda rng: f'{rng.randint(-30, 30) / 4}', varlena=True, base='numeric')
OID = Type('oid', 'oid', edges_or(['0', '1', '2147483647', '2147483648', '4294967295'],
                                  lambda rng: str(rng.randint(0, 20))))
DATE = Type('date', 'date', dates)
TIME = Type('time', 'time', edges_or(['00:00:00', '24:00:00', '23:59:59.999999'], time_value, 0.3))
TIMESTAMP = Type('timestamp', 'date', timestamps)
TIMESTAMPTZ = Type('timestamptz', 'date', lambda rng: with_zone(timestamps(rng), rng))
INTERVAL = Type('interval', 'interval',
                edges_or(['0', '1 mon', '30 days', '720 hours', '1 day', '24 hours', '-1 mon', '-30 days', '178000000 years',
                          '-178000000 years', '0.000001 s'], interval_value))
UUID = Type('uuid', 'uuid', uuid_value)
TEXT = Type('text', 'text', text_value, varlena=True, collatable=True)
PERSON = Type('text', 'text', person_value, varlena=True, collatable=True)
VISIBILITY = Type('text', 'text', visibility_value, varlena=True, collatable=True)
VARCHAR = Type('varchar', 'text', text_value, varlena=True, collatable=True)
VARCHAR_12 = Type('varchar(12)', 'text', text_of(12), varlena=True, collatable=True, base='varchar')
BPCHAR_1 = Type('char(1)', 'bpchar', text_of(1), varlena=True, collatable=True, base='bpchar')
BPCHAR_9 = Type('char(9)', 'bpchar', text_of(9), varlena=True, collatable=True, base='bpchar')
NAME = Type('name', 'name', name_value, collatable=True)
BYTEA = Type('bytea', 'bytea', bytea_value, varlena=True)
MOOD = Type('mood', 'enum', lambda rng: rng.choice(ENUM))
TEXT_DOMAIN = Type('text_domain', 'text', text_of(200), varlena=True, collatable=True)
INT_DOMAIN = Type('int_domain', 'int', lambda rng: str(rng.randint(-20, 20)))
JSONB = Type('jsonb', 'jsonb', lambda rng: rng.choice(['{}', '[1, 2]', '{"a": "b"}', '"' + 'x' * rng.randint(1, 3000) + '"']),
             varlena=True)
TIMETZ = Type('timetz', 'timetz', lambda rng: time_value(rng) + rng.choice(['+00', '+01', '-08:30']))
INT_ARRAY = Type('int4[]', 'array', lambda rng: rng.choice(['{}', '{1,2,NULL}', '{{1,2},{3,4}}']), varlena=True)
POINT = Type('point', 'point', lambda rng: f'({rng.randint(0, 9)},{rng.randint(0, 9)})')

COLUMN_TYPES = [BOOL, CHAR, INT2, INT4, INT8, FLOAT4, FLOAT8, NUMERIC, NUMERIC_8_2, OID, DATE, TIME, TIMESTAMP, TIMESTAMPTZ,
                INTERVAL, UUID, TEXT, TEXT, TEXT, PERSON, PERSON, VISIBILITY, VISIBILITY, VARCHAR, VARCHAR_12, BPCHAR_1,
                BPCHAR_9, NAME, BYTEA, MOOD, TEXT_DOMAIN, INT_DOMAIN, JSONB, TIMETZ, INT_ARRAY, POINT]

# What a column cannot be compared with, only tested for NULL.
OPAQUE = {'jsonb', 'timetz', 'array', 'point'}

# The types of a constant that stands beside an expression of the family.
CONSTANT_TYPES = {'bool': [BOOL], 'char': [CHAR], 'int': [INT2, INT4, INT4, INT8], 'float': [FLOAT4, FLOAT8],
                  'numeric': [NUMERIC], 'oid': [OID], 'date': [DATE, TIMESTAMP, TIMESTAMPTZ], 'time': [TIME],
                  'interval': [INTERVAL], 'uuid': [UUID], 'text': [TEXT, TEXT, VARCHAR],
                  'bpchar': [BPCHAR_9, BPCHAR_1], 'name': [NAME], 'bytea': [BYTEA], 'enum': [MOOD]}


def with_zone(value, rng):
    """A timestamp as one with time zone."""
    if 'infinity' in value:
        return value
    zone = rng.choice(['+00', '+00', '+03', '-05'])
    if value.startswith(('294276', '4713')):
        zone = '+00'
    return value[:-3] + zone + ' BC' if value.endswith(' BC') else value + zone
