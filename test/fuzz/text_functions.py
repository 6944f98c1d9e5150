"""The functions of texts that text_fuzz.py calls, with what each takes.

A Function has a name, the family of its answer (values.py), a form with one {}
for each argument, and one letter for each argument:

    t  a text of any type                 b  bytea
    s  a short text: a separator, a needle, characters
    i  a position or a count of characters, of any size and sign
    l  a length, seldom negative
    f  which field: as i, seldom 0        w  a width to pad to
    r  how often to repeat                n  int4, N int8, m either
    c  a code point                       x  anything that has a text form
    D  a text that is mostly digits, T a date, U a uuid, B a boolean, each as text
    d  a date   u  a uuid   B  a boolean as text   o  a boolean
    F  a float   E  a float as text   M  a timestamp   Q  a numeric
    p  a regular expression   g  its flags, h those of a test   R  what replaces a match
    S  a pattern of SIMILAR with two marks
    P  an array of needles   K  an array of kinds of redact_pii()   A  an array of texts
    k  a small distance

'wanted' is False where no engine computes it; the fuzzer compares its answers all
the same.  Where they are 'own', gpustr made them, and
PostgreSQL has no answer: oracle.sql has another.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Function:
    """One way to call a function."""
    name: str
    family: str
    form: str
    kinds: str
    wanted: bool = True
    own: bool = False
    weight: int = 4

    def output(self):
        """Is it wanted in SELECT lists, too?  Values are no outputs, nor are those few texts that are made at once."""
        return self.wanted and self.family in ('text', 'bytea') and self.name not in ('int to text', 'bool to text')


def extra(*args):
    """One that no engine need compute."""
    return Function(*args, wanted=False, weight=1)


def own(name, family, form, kinds, wanted=True):
    """One of gpustr's."""
    return Function(name, family, form, kinds, own=True, wanted=wanted)


FUNCTIONS = [
    # texts
    Function('upper', 'text', 'upper({})', 't'),
    Function('lower', 'text', 'lower({})', 't'),
    Function('initcap', 'text', 'initcap({})', 't'),
    Function('||', 'text', '({} || {})', 'tt'),
    Function('|| any', 'text', '({} || {})', 'tx'),
    Function('concat', 'text', 'concat({}, {}, {})', 'xxx', weight=3),
    extra('concat of one', 'text', 'concat({})', 'x'),
    Function('concat_ws', 'text', 'concat_ws({}, {}, {})', 'sxx', weight=3),
    extra('concat_ws of one', 'text', 'concat_ws({}, {})', 'sx'),
    Function('substr', 'text', 'substr({}, {}, {})', 'til'),
    Function('substr from', 'text', 'substr({}, {})', 'ti'),
    Function('substring', 'text', 'substring({} from {} for {})', 'til', weight=2),
    Function('substring from', 'text', 'substring({} from {})', 'ti', weight=2),
    extra('substring for', 'text', 'substring({} for {})', 'tl'),
    Function('left', 'text', 'left({}, {})', 'ti'),
    Function('right', 'text', 'right({}, {})', 'ti'),
    Function('replace', 'text', 'replace({}, {}, {})', 'tss', weight=6),
    Function('translate', 'text', 'translate({}, {}, {})', 'tss', weight=6),
    Function('btrim', 'text', 'btrim({}, {})', 'ts'),
    Function('ltrim', 'text', 'ltrim({}, {})', 'ts'),
    Function('rtrim', 'text', 'rtrim({}, {})', 'ts'),
    Function('btrim blanks', 'text', 'btrim({})', 't', weight=2),
    Function('ltrim blanks', 'text', 'ltrim({})', 't', weight=2),
    Function('rtrim blanks', 'text', 'rtrim({})', 't', weight=2),
    extra('trim both', 'text', 'trim(both {1} from {0})', 'ts'),
    extra('trim leading', 'text', 'trim(leading {1} from {0})', 'ts'),
    extra('trim trailing', 'text', 'trim(trailing from {})', 't'),
    Function('lpad', 'text', 'lpad({}, {}, {})', 'tws'),
    Function('rpad', 'text', 'rpad({}, {}, {})', 'tws'),
    Function('lpad blanks', 'text', 'lpad({}, {})', 'tw', weight=2),
    Function('rpad blanks', 'text', 'rpad({}, {})', 'tw', weight=2),
    Function('repeat', 'text', 'repeat({}, {})', 'tr'),
    Function('reverse', 'text', 'reverse({})', 't'),
    Function('split_part', 'text', 'split_part({}, {}, {})', 'tsf', weight=6),
    Function('chr', 'text', 'chr({})', 'c'),
    Function('md5', 'text', 'md5({})', 't'),
    Function('to_hex', 'text', 'to_hex({})', 'm'),
    Function('overlay', 'text', 'overlay({} placing {} from abs({}) for {})', 'tsfl'),
    Function('overlay from', 'text', 'overlay({} placing {} from {})', 'tsf', weight=2),
    extra('quote_literal', 'text', 'quote_literal({})', 't'),
    extra('normalize', 'text', 'normalize({})', 't'),
    extra('coalesce', 'text', 'coalesce({}, {})', 'ts'),
    Function('int to text', 'text', '({})::text', 'm'),
    Function('bool to text', 'text', '({})::text', 'o'),
    Function('date to text', 'text', '({})::text', 'd'),
    Function('uuid to text', 'text', '({})::text', 'u'),
    Function('float to text', 'text', '({})::text', 'F', weight=6),
    Function('timestamp to text', 'text', '({})::text', 'M'),
    Function('numeric to text', 'text', '({})::text', 'Q'),
    extra('to varchar(n)', 'text', '({})::varchar(4)', 't'),
    extra('to name', 'name', '({})::name', 't'),
    extra('to char(n)', 'bpchar', '({})::char(4)', 't'),
    Function('regexp_replace', 'text', 'regexp_replace({}, {}, {})', 'tpR'),
    Function('regexp_replace flags', 'text', 'regexp_replace({}, {}, {}, {})', 'tpRg'),
    Function('regexp_replace from', 'text', 'regexp_replace({}, {}, {}, 2, 0, {})', 'tpRg', weight=2),
    Function('regexp_replace second', 'text', 'regexp_replace({}, {}, {}, 1, 2)', 'tpR', weight=2),
    Function('regexp_substr', 'text', 'regexp_substr({}, {})', 'tp'),
    Function('regexp_substr second', 'text', 'regexp_substr({}, {}, 2, 2, {})', 'tph', weight=2),
    Function('substring regex', 'text', 'substring({} from {})', 'tp'),
    extra('substring similar', 'text', "substring({} similar {} escape '#')", 'tS'),
    Function('regexp_match', 'text', '(regexp_match({}, {}))[1]', 'tp'),
    # bytea
    Function('sha256', 'bytea', 'sha256({})', 'b'),
    extra('sha512', 'bytea', 'sha512({})', 'b'),
    Function('substr of bytea', 'bytea', 'substr({}, {}, {})', 'bil'),
    Function('substr from of bytea', 'bytea', 'substring({} from {})', 'bi', weight=2),
    Function('|| of bytea', 'bytea', '({} || {})', 'bb', weight=2),
    Function('btrim of bytea', 'bytea', 'btrim({}, {})', 'bb'),
    Function('ltrim of bytea', 'bytea', 'ltrim({}, {})', 'bb', weight=2),
    Function('rtrim of bytea', 'bytea', 'rtrim({}, {})', 'bb', weight=2),
    Function('overlay of bytea', 'bytea', 'overlay({} placing {} from abs({}))', 'bbf'),
    Function('overlay for of bytea', 'bytea', 'overlay({} placing {} from {} for {})', 'bbfl', weight=2),
    Function('md5 of bytea', 'text', 'md5({})', 'b'),
    Function('encode', 'text', "encode({}, 'hex')", 'b'),
    extra('encode base64', 'text', "encode({}, 'base64')", 'b'),
    extra('bytea to text', 'text', '({})::text', 'b'),
    # numbers
    Function('length', 'int', 'length({})', 't'),
    Function('char_length', 'int', 'char_length({})', 't', weight=1),
    Function('octet_length', 'int', 'octet_length({})', 't'),
    extra('bit_length', 'int', 'bit_length({})', 't'),
    Function('octet_length of bytea', 'int', 'octet_length({})', 'b', weight=1),
    extra('length of bytea', 'int', 'length({})', 'b'),
    Function('position in bytea', 'int', 'position({1} in {0})', 'bb'),
    Function('get_byte', 'int', "get_byte({} || '\\x00', 0)", 'b', weight=2),
    Function('strpos', 'int', 'strpos({}, {})', 'ts', weight=6),
    Function('position', 'int', 'position({1} in {0})', 'ts', weight=3),
    Function('ascii', 'int', 'ascii({})', 't'),
    Function('text to int2', 'int', '({})::int2', 'D', weight=2),
    Function('text to int4', 'int', '({})::int4', 'D', weight=5),
    Function('text to int8', 'int', '({})::int8', 'D', weight=3),
    Function('regexp_count', 'int', 'regexp_count({}, {})', 'tp', weight=2),
    Function('regexp_instr', 'int', 'regexp_instr({}, {})', 'tp', weight=2),
    Function('regexp_instr end', 'int', 'regexp_instr({}, {}, 1, 2, 1, {})', 'tph', weight=2),
    Function('text to date', 'date', '({})::date', 'T', weight=5),
    Function('text to uuid', 'uuid', '({})::uuid', 'U', weight=3),
    Function('text to float8', 'float', '({})::float8', 'E', weight=4),
    Function('text to float4', 'float', '({})::float4', 'E', weight=3),
    # truth values
    Function('starts_with', 'bool', 'starts_with({}, {})', 'ts', weight=3),
    Function('^@', 'bool', '({} ^@ {})', 'ts', weight=2),
    Function('text to bool', 'bool', '({})::bool', 'B', weight=3),
    Function('~', 'bool', '({} ~ {})', 'tp', weight=2),
    Function('regexp_like', 'bool', 'regexp_like({}, {}, {})', 'tph', weight=2),
    # gpustr's own
    own('gpustr.find', 'int', 'gpustr.find({}, {})', 'ts'),
    own('gpustr.find from', 'int', 'gpustr.find({}, {}, {})', 'tsi'),
    own('gpustr.count_matches', 'int', 'gpustr.count_matches({}, {})', 'ts'),
    own('gpustr.edit_distance', 'int', 'gpustr.edit_distance({}, {})', 'ts'),
    own('gpustr.edit_distance_within', 'bool', 'gpustr.edit_distance_within({}, {}, {})', 'tsk'),
    own('gpustr.fuzzy_find', 'int', 'gpustr.fuzzy_find({}, {}, {})', 'tsk'),
    own('gpustr.contains_any', 'bool', 'gpustr.contains_any({}, {})', 'tP'),
    own('gpustr.matching', 'text', '(gpustr.matching({}, {}))::text', 'tP', wanted=False),
    own('gpustr.find_all', 'text', '(gpustr.find_all({}, {}))::text', 'ts', wanted=False),
    own('gpustr.redact_pii', 'text', 'gpustr.redact_pii({}, {})', 'tK'),
    own('gpustr.redact_pattern', 'text', 'gpustr.redact_pattern({}, {}, {})', 'tpR'),
    own('gpustr.find in bytea', 'int', 'gpustr.find({}, {})', 'bb', wanted=False),
    own('gpustr.count_matches in bytea', 'int', 'gpustr.count_matches({}, {})', 'bb', wanted=False),
    own('gpustr.find_all in bytea', 'text', '(gpustr.find_all({}, {}))::text', 'bb', wanted=False),
    # of arrays
    own('gpustr.find of array', 'text', '(gpustr.find({}, {}))::text', 'As', wanted=False),
    own('gpustr.count_matches of array', 'text', '(gpustr.count_matches({}, {}))::text', 'As', wanted=False),
    own('gpustr.edit_distance of array', 'text', '(gpustr.edit_distance({}, {}))::text', 'As', wanted=False),
    own('gpustr.edit_distance_within of array', 'text', '(gpustr.edit_distance_within({}, {}, {}))::text', 'Ask', wanted=False),
    own('gpustr.fuzzy_find of array', 'text', '(gpustr.fuzzy_find({}, {}, {}))::text', 'Ask', wanted=False),
    own('gpustr.redact_pii of array', 'text', '(gpustr.redact_pii({}, {}))::text', 'AK', wanted=False),
]

# What stands for an argument in the first statement of each function: a column
# of the table that prove() makes, or a constant.
PROOF = {'t': 't', 's': "'a'", 'i': '2', 'l': '3', 'f': '1', 'w': '9', 'r': '2', 'n': 'n', 'N': 'n8', 'm': 'n',
         'c': '65 + id', 'x': 't',
         'D': 'digits', 'T': 'days', 'U': 'uuids', 'B': 'truths', 'd': 'd', 'u': 'u', 'o': 'o', 'b': 'y', 'p': "'f1'",
         'F': 'f', 'E': 'floats', 'M': 'm', 'Q': 'q',
         'g': "'i'", 'h': "'i'", 'R': "'<>'", 'S': "'%#\"a_c#\"%'", 'P': "ARRAY['a', 'bcd']",
         'K': "ARRAY['email']", 'A': "ARRAY[t, 'a']", 'k': '2'}


def proof(function):
    """The function's call over the table of prove()."""
    return function.form.format(*[PROOF[kind] for kind in function.kinds])


def own_name(function):
    """The name in schema gpustr of one of gpustr's own."""
    return function.name.split('.')[1].split(' ')[0]
