"""Random tables of texts, for text_fuzz.py.

Beside texts of any kind there are columns of texts that a cast takes (digits,
dates, uuids, truth values): in most tables all of their values are valid, so
that a cast of the whole column has an answer; in the others a few are not.

Characters that the database's encoding has not are replaced on the way to the
server: see compare.Server.encode().
"""

import schema
import values
from schema import Column

ALPHABET = ['a', 'b', 'c', 'A', 'B', 'C', 'i', 'I', 'z', 'Z', '0', '1', '9', ' ', ' ', ',', '.', '-', '%', '_', '\\', "'",
            '\n', '\t', 'é', 'É', 'ß', 'ẞ', 'ÿ', 'Ÿ', 'µ', 'İ', 'ı', '\u212a', 'ſ', 'Σ', 'σ', 'ς', 'ǆ', 'ǅ', 'ŉ', 'ﬁ', 'Ж',
            'ж', '日', '本', 'Ａ', 'ａ', '😀', '𐐀', '𐐨', '\u0301', '\u0307', '\u00a0', '\u0085', '\u2028', '\u3000', '\ufeff',
            '\x01', '\x7f', '\u0080', '\u07ff', '\u0800', '\uffff', '\U00010000', '\U0010ffff', '\u1f88', '\u1f80', 'ა', 'Ა']
PLAIN = ['a', 'b', 'c', 'a', 'b', 'A', 'B', '1', ' ', ',']
EDGES = ['a', 'ab', 'abc', 'ABC', 'aab', 'aaa', 'aaaa', 'abab', ' abc', 'abc ', '  abc  ', ' ', '   ', ',', ',,', 'a,b,c', ',a,',
         'a,,b', 'Abc Def', 'aBC dEF-gHI_jkl 1abc é1', 'e\u0301', 'é', 'éé', 'ß', 'straße', 'STRASSE', 'İstanbul', 'ıi', 'ΑΣ ΣΑΣ',
         '日本', '日本語', '😀😀', 'a😀b', 'ǆ ǅ', '10', '-0', '007', '2000-01-01', 'true', '\\', 'a\\b', '%', 'a%b_c',
         '00000000-0000-0000-0000-000000000001', 'NULL', "it's", 'x' * 63, 'é' * 32]
WORDS = ['abc', 'Abc', 'ABC', 'b', 'error', 'Error', 'GET', '/index.html', '200', '404', 'user=jane', 'jane@example.org', 'é', 'Öl',
         '日本', '10.0.0.1', '4111 1111 1111 1111', '+1-202-555-0143', '192.168.1.300', 'DE89370400440532013000', '078-05-1120',
         '::1', '2001:db8::1', 'a', '', '😀', 'www.example.com', '5500-0000-0000-0004', 'x.y@z', 'ssn', '12']


def text_value(rng):
    """Any string; mostly short."""
    kind = rng.random()
    if kind < 0.05:
        return ''
    if kind < 0.3:
        return rng.choice(EDGES)
    if kind < 0.45:
        return ''.join(rng.choice(PLAIN) for _ in range(rng.randint(1, 10)))
    if kind < 0.65:
        return ''.join(rng.choice(ALPHABET) for _ in range(rng.randint(1, 12)))
    if kind < 0.72:
        return personal_value(rng)
    if kind < 0.82:
        return rng.choice([' ', ' ', ',', ', ', '/', '||']).join(rng.choice(WORDS) for _ in range(rng.randint(1, 7)))
    if kind < 0.88:
        return rng.choice([' ', '  ', '\t', '\u00a0', 'a']) * rng.randint(0, 3) + rng.choice(EDGES) + ' ' * rng.randint(0, 3)
    if kind < 0.92:
        return rng.choice([digits_value, day_value, uuid_text, truth_value])(rng)
    if kind < 0.96:
        # about the border between the short and the long header
        return rng.choice(['a', 'é', 'b ', '日', 'aB']) * rng.randint(30, 130)
    if kind < 0.985:
        return ('abc' + rng.choice(ALPHABET)) * rng.randint(100, 1500)
    return ''.join(chr(rng.randint(33, 126)) for _ in range(rng.randint(1900, 6000)))


PERSONAL = ['jane@example.org', 'a.b+c@x-y.co.uk', 'x@y', '4111 1111 1111 1111', '4111111111111111', '5500-0000-0000-0004',
            '378282246310005', '(415) 555-2671', '415-555-2671', '1 415 555 2671', '+14155552671', '+49 (0)30 123456',
            '+1-202-555-0143x12',
            '078-05-1120', '219 09 9999', '666-12-1234', '192.168.1.1', '10.0.0.256', '1.2.3.4.5', 'fe80::1', '::1',
            '2001:db8:0:0:0:0:2:1',
            '::ffff:1.2.3.4', '1:2:3:4:5:6:7::', '1::2::3', 'Feed::add', 'DE89370400440532013000', 'GB82 WEST 1234 5698 7654 32',
            'NO9386011117947', 'gb82west12345698765432']


def personal_value(rng):
    """Personal data, or nearly, beside one another."""
    made = ''
    for _ in range(rng.randint(1, 4)):
        piece = rng.choice(PERSONAL)
        for _ in range(rng.choice([0, 0, 0, 1, 1, 2])):
            at = rng.randint(0, len(piece) - 1)
            new = rng.choice(['', '', piece[at] * 2, ' ', '-', '.', ':', '0', '1', '9', 'a', 'F', '@', '+', '(', ')', '_',
                              'x', 'é'])
            piece = (piece[:at] + new + piece[at + rng.choice([0, 1, 1]):]) or 'a'
        made += piece + rng.choice([' ', ' ', ' ', ', ', '.', '-', ':', '', 'x', '1', '_', '日'])
    return made


def huge_value(rng):
    """100 kB to 1 MB."""
    size = rng.choice([100_000, 150_000, 300_000, 1_000_000])
    kind = rng.random()
    if kind < 0.4:
        piece = ''.join(rng.choice(ALPHABET) for _ in range(rng.randint(3, 40)))
        return piece * (size // len(piece.encode()))
    if kind < 0.6:
        return rng.choice(['a', 'é', ' ', 'ab', ',']) * size
    words = [''.join(rng.choice(PLAIN) for _ in range(12)) for _ in range(400)]
    return ''.join(rng.choice(words) for _ in range(size // 12)) + rng.choice(['', 'é', 'end'])


def digits_value(rng):
    """What a cast to a number takes; small enough for int2, mostly."""
    kind = rng.random()
    if kind < 0.25:
        return rng.choice(['0', '-0', '+0', '1', '-1', '007', ' 12', '12 ', '\t5\n', '32767', '-32768', '+31',
                           '00000000000000000001'])
    return str(rng.randint(-300, 300))


def wide_digits(rng):
    """The same up to the borders of int4 and int8, and invalid ones."""
    if rng.random() < 0.75:
        return digits_value(rng)
    return rng.choice(['2147483647', '-2147483648', '2147483648', '9223372036854775807', '-9223372036854775808',
                       '9223372036854775808', '', ' ', '1.0', '1e3', '0x10', '1_000', '12a', 'a', '--1', '+',
                       '- 1', '１', '1\u00a0', '99999999999999999999999', '32768', '\v8', '8\f'])


def day_value(rng):
    """What a cast to a date takes, mostly ISO."""
    kind = rng.random()
    if kind < 0.8:
        year = rng.choice([1999, 2000, 2000, 2001, 2024, 1900, 1]) if kind < 0.7 else rng.randint(1, 9999)
        return f'{year:04}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}'
    return rng.choice(['2000-02-29', '1999-12-31', '0001-01-01', '9999-12-31', ' 2000-01-01', '2000-01-01 ', '2000-1-1',
                       '20000101', 'infinity', '-infinity', 'epoch', '2000-01-01 BC', '4713-11-24 BC', '5874897-12-31',
                       'January 8, 1999', '2000-01-01 12:34:56', '2000-01-01T00:00:00+05', 'J2451187', '1999.008', '10000-01-01',
                       '2024-02-29', '08-Jan-1999'])


def wrong_day(rng):
    """The same with invalid ones."""
    if rng.random() < 0.8:
        return day_value(rng)
    return rng.choice(['', '2000-02-30', '2001-02-29', '1900-02-29', '2000-13-01', '2000-00-10', '2000-01-00', '0000-01-01',
                       'abc', '2000-01',
                       '5874898-01-01', '4714-01-01 BC', '2000-01-01x', '99999-99-99', '1/2/3', '1-2-3', '2000-01-32', '2000–01–01'])


def uuid_text(rng):
    """What a cast to uuid takes."""
    made = values.uuid_value(rng)
    kind = rng.random()
    if kind < 0.7:
        return made
    return [made.upper(), '{' + made + '}', made.replace('-', ''), made[:4] + '-' + made[4:]][rng.randint(0, 3)]


def truth_value(rng):
    """What a cast to bool takes."""
    return rng.choice(['true', 'false', 't', 'f', 'yes', 'no', 'on', 'off', '1', '0', 'TRUE', 'Fal', ' true ', 'y', 'n', 'of'])


def real_value(rng):
    """A float as text: of few digits or of all."""
    kind = rng.random()
    if kind < 0.3:
        return repr(rng.randint(-10**6, 10**6) / 10 ** rng.randint(0, 8))
    if kind < 0.5:
        return repr(rng.uniform(-1000, 1000))
    if kind < 0.7:
        return repr(rng.choice([-1, 1]) * rng.random() * 10.0 ** rng.randint(-14, 20))
    if kind < 0.8:
        return repr(2.0 ** rng.randint(-40, 60))
    return rng.choice(['0', '-0', '1e15', '1e-5', '0.0001', '123456789012345680', '0.1', '1e22', '1e23', '16777217',
                       '9007199254740993', 'Infinity', '-Infinity', 'NaN', '999999.96', '1e6', '0.30000000000000004'])


def written_float(rng):
    """What a cast to a float takes, in any spelling."""
    kind = rng.random()
    if kind < 0.6:
        return real_value(rng)
    if kind < 0.8:
        digits = ''.join(rng.choice('0123456789000') for _ in range(rng.randint(1, 20)))
        at = rng.randint(0, len(digits))
        return rng.choice(['', '-', '+', ' ']) + digits[:at] + '.' + digits[at:] + rng.choice(['', '', f'e{rng.randint(-28, 28)}', ' '])
    return rng.choice(['1', '.5', '5.', '1E3', '+1e+2', ' 1 ', 'inf', 'nan', '-infinity', '0x10', '1e30', '0e500', '00.10'])


def spoilt(draw, wrong):
    """Draws valid values, now and then one of the wrong."""
    return lambda rng: rng.choice(wrong) if rng.random() < 0.1 else draw(rng)


def bytes_value(rng):
    """In hexadecimal."""
    if rng.random() < 0.1:
        return '\\x' + rng.choice(['00', '61', 'ff', '6162']) * rng.choice([55, 56, 63, 64, 65, 119, 128, 1000])
    return values.bytea_value(rng)


def text_type(draw, sql='text'):
    """A Type whose values are texts."""
    return values.Type(sql, 'text', draw, varlena=True, collatable=True, base=sql.split('(')[0])


TEXT = text_type(text_value)
PERSONAL_TEXT = text_type(personal_value)
VARCHAR = text_type(text_value, 'varchar')
VARCHAR_12 = text_type(lambda rng: text_value(rng)[:12], 'varchar(12)')
DIGITS, WIDE_DIGITS = text_type(digits_value), text_type(wide_digits)
DAYS, WRONG_DAYS = text_type(day_value), text_type(wrong_day)
UUIDS, WRONG_UUIDS = text_type(uuid_text), text_type(spoilt(uuid_text, ['', 'abc', '{' + 'a' * 32, '0' * 33, '0' * 31, 'g' * 32]))
TRUTHS, WRONG_TRUTHS = text_type(truth_value), text_type(spoilt(truth_value, ['', 'o', 'maybe', 'tru e', '2', 'é']))
FLOATS, WRONG_FLOATS = text_type(written_float), text_type(spoilt(written_float, ['', '.', 'e1', '1e', '1e999', '1e-999', '1 2', 'x', '--1']))
REALS = values.Type('float8', 'float', real_value)
CHAR_1 = values.Type('char(1)', 'bpchar', lambda rng: text_value(rng)[:1], varlena=True, collatable=True, base='bpchar')
CHAR_9 = values.Type('char(9)', 'bpchar', lambda rng: text_value(rng)[:9], varlena=True, collatable=True, base='bpchar')
BYTES = values.Type('bytea', 'bytea', bytes_value, varlena=True)
SMALL = values.Type('int4', 'int', lambda rng: str(rng.randint(-12, 12)))
POINTS = values.Type('int4', 'int', lambda rng: str(rng.choice(
    [1, 9, 32, 65, 97, 127, 128, 160, 233, 255, 256, 0x7ff, 0x800, 0x20ac, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x1f600, 0x10ffff])))
DATE = values.Type('date', 'date', values.edges_or(
    ['0001-01-01', '9999-12-31', '2000-02-29', '1999-12-31', '4713-01-01 BC', '5874897-12-31', 'infinity', '-infinity',
     '10000-01-01',
     '0001-12-31 BC', '0044-03-15 BC'], values.date_value, 0.2))

OWN_ROWS = 150

# What a table may have beside one text.
KINDS = [TEXT, TEXT, TEXT, PERSONAL_TEXT, VARCHAR, VARCHAR_12, CHAR_1, CHAR_9, values.NAME, BYTES, SMALL, SMALL, values.INT4, values.INT8,
         values.INT2, DATE, values.UUID, values.BOOL, POINTS, REALS, REALS, values.FLOAT4, values.NUMERIC, values.TIMESTAMP]
CLEAN = [DIGITS, DAYS, UUIDS, TRUTHS, FLOATS]
DIRTY = [WIDE_DIGITS, WRONG_DAYS, WRONG_UUIDS, WRONG_TRUTHS, WRONG_FLOATS]
SORTS = {'D': (DIGITS, WIDE_DIGITS), 'T': (DAYS, WRONG_DAYS), 'U': (UUIDS, WRONG_UUIDS), 'B': (TRUTHS, WRONG_TRUTHS),
         'E': (FLOATS, WRONG_FLOATS)}


def random_column(rng, number, type_, collation):
    """One column of this type."""
    c = Column(f'c{number}', type_)
    if type_.collatable and type_.family != 'name':
        c.collation = collation
    if type_.varlena:
        if rng.random() < 0.3:
            c.storage = rng.choice(['plain', 'main', 'external', 'extended'])
        if rng.random() < 0.15:
            c.compression = rng.choice(['pglz', 'lz4'])
    c.not_null = rng.random() < 0.25
    c.later = rng.random() < 0.08
    if c.later:
        c.storage = c.compression = None
        if c.not_null:
            c.default = type_.value(rng)
    return c


def own_table(rng, collations):
    """A larger table of plain texts, for gpustr's own functions."""
    collation = rng.choice(collations)
    columns = [Column('id', values.INT4)] + [Column(f'c{i}', type_, collation if type_.collatable else None)
                                             for i, type_ in enumerate([PERSONAL_TEXT, PERSONAL_TEXT, TEXT, SMALL, BYTES], 1)]
    table = schema.Table('t', columns)
    table.rows = [schema.random_row(rng, columns, i) for i in range(1, OWN_ROWS + 1)]
    table.huge = False
    return table


def random_table(rng, name, collations, size=None):
    """A table of texts and others; now and then with a few huge values."""
    one = rng.choice(collations) if rng.random() < 0.7 else None
    dirty = rng.random() < 0.25
    types = [TEXT] + [rng.choice(KINDS) for _ in range(rng.randint(2, 8))]
    types += [(rng.choice(DIRTY) if dirty else rng.choice(CLEAN)) for _ in range(rng.randint(0, 3))]
    columns = [random_column(rng, i + 1, type_, one or rng.choice(collations)) for i, type_ in enumerate(types)]
    columns.insert(rng.randint(0, len(columns)), Column('id', values.INT4))
    table = schema.Table(name, columns)
    table.kind = rng.choices(['plain', 'unlogged', 'partitioned', 'inherited'], [85, 5, 5, 5])[0]
    table.huge = size is None and rng.random() < 0.06
    if size is None:
        size = rng.randint(3, 8) if table.huge else rng.choice([1, 20, 40, 40, 60, 100])
    table.rows = [schema.random_row(rng, columns, i) for i in range(1, size + 1)]
    if table.huge:
        large = [c for c in columns if c.type in (TEXT, VARCHAR) and c.storage != 'plain']
        for row in rng.sample(table.rows, min(len(table.rows), 3)):
            if large:
                row[rng.choice(large).name] = huge_value(rng)
    elif rng.random() < 0.3:
        table.actions = schema.random_actions(rng, name, columns)
    return table
