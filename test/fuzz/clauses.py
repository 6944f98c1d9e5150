"""Random WHERE clauses by a typed grammar, as trees that can be shrunk.

A Node has a family (see values.py), a form with one {} for each child, and the
children; a list node joins any number of them.  Generator makes trees:
clause() of booleans, scalar() of any other family.  reductions() yields trees
that are one step smaller, for the shrinker.

Constants are drawn from the table's values half of the time.  In a prepared
statement some of them are parameters: sql() appends these to the list that it
is given and prints $n.

Errors (overflow, division by zero, a pattern that ends in a backslash) are
wanted, but not so often that they hide the rest: what is likely to fail is
rare here.
"""

import regexes
import values


class Node:
    """An expression."""

    def __init__(self, family, form, *kids, sep=None):
        self.family = family
        self.form = form
        self.kids = list(kids)
        self.sep = sep

    def sql(self, params=None):
        """The expression; constants that are parameters go to params."""
        parts = [kid.sql(params) for kid in self.kids]
        return self.form.format(self.sep.join(parts) if self.sep else '', *parts) if self.sep else self.form.format(*parts)

    def replaced(self, index, kid):
        """The same with another child."""
        kids = list(self.kids)
        kids[index] = kid
        return Node(self.family, self.form, *kids, sep=self.sep)

    def reductions(self):
        """Trees that are one step smaller."""
        if self.family == 'bool' and self.kids:
            yield Node('bool', 'true')
            yield Node('bool', 'false')
        for kid in self.kids:
            if kid.family == self.family:
                yield kid
        if self.sep and len(self.kids) > 1:
            for i in range(len(self.kids)):
                yield Node(self.family, self.form, *self.kids[:i], *self.kids[i + 1:], sep=self.sep)
        for i, kid in enumerate(self.kids):
            for smaller in kid.reductions():
                yield self.replaced(i, smaller)


class Constant(Node):
    """A literal, or a parameter with this value."""

    def __init__(self, type_, value, param=False):
        super().__init__(type_.family, '')
        self.type = type_
        self.value = value
        self.param = param

    def sql(self, params=None):
        if self.param and params is not None:
            params.append(self)
            return f'${len(params)}'
        return f'{values.quote(self.value)}::{self.type.base}'

    def reductions(self):
        if self.param:
            yield Constant(self.type, self.value)
        if self.value and self.family in ('text', 'bpchar', 'name') and len(self.value) > 1:
            half = len(self.value) // 2
            yield Constant(self.type, self.value[:half], self.param)
            yield Constant(self.type, self.value[half:], self.param)
            yield Constant(self.type, self.value[:-1], self.param)


COMPARISONS = ['=', '=', '=', '<>', '<', '<=', '>', '>=']

# Families whose values stand on either side of one comparison.
CROSS = {'int': ['int', 'int', 'int', 'float', 'numeric', 'oid'], 'float': ['float', 'float', 'int'],
         'numeric': ['numeric', 'numeric', 'int'], 'oid': ['oid', 'oid', 'int'],
         'text': ['text', 'text', 'text', 'name', 'bpchar'], 'bpchar': ['bpchar', 'bpchar', 'text'],
         'name': ['name', 'name', 'text']}

# family: forms of one argument, (argument's family, form)
FUNCTIONS = {
    'int': [('text', 'length({})'), ('text', 'octet_length({})'), ('bytea', 'octet_length({})'), ('bpchar', 'length({})'),
            ('int', '({})::int8'), ('int', '({})::int4'), ('int', '({})::int2'), ('int', '(- {})'), ('int', 'abs({})'),
            ('int', '(~ {})'), ('float', '({})::int4'), ('float', '({})::int8'), ('numeric', '({})::int4'),
            ('bool', '({})::int4'), ('oid', '({})::int8'), ('char', 'ascii({}::text)')],
    'float': [('float', '(- {})'), ('float', 'abs({})'), ('int', '({})::float8'), ('int', '({})::float4'),
              ('float', '({})::float8'), ('float', '({})::float4'), ('numeric', '({})::float8')],
    'numeric': [('int', '({})::numeric'), ('numeric', '(- {})'), ('numeric', 'abs({})'), ('float', '({})::numeric')],
    'text': [('name', '({})::text'), ('bpchar', '({})::text'), ('text', '({})::varchar'), ('text', 'lower({})'),
             ('int', '({})::text'), ('text', 'substr({}, 2)'), ('text', '({})::varchar(3)'), ('enum', '({})::text'),
             ('uuid', '({})::text'), ('text', '({} COLLATE "C")'), ('text', '({} COLLATE "default")')],
    'bpchar': [('text', '({})::bpchar'), ('text', '({})::char(4)')],
    'date': [('date', '({})::timestamp'), ('date', '({})::date'), ('date', '({})::timestamptz')],
    'oid': [('int', '({})::oid')],
    'time': [('date', '({})::time')],
    'bool': [('int', '({} <> 0)'), ('int', '({})::int4::bool')],
}
FALLIBLE = ('::int2', '::int4', '::int8', '::oid', '(- ', 'abs', '::timestamp', '::float4', '::date')

ARITHMETIC = {'int': ['+', '-', '*', '/', '%', '&', '|', '#'], 'float': ['+', '-', '*', '/'],
              'numeric': ['+', '-', '*', '/', '%']}

STABLE = {'date': ['now()', 'current_date', "(now() - '1 day'::interval)", 'localtimestamp'],
          'text': ["current_setting('fuzz.text')", "current_setting('fuzz.text', true)", 'current_user::text'],
          'int': ["current_setting('fuzz.number')::int4"], 'name': ['current_user']}


class Generator:
    """Makes clauses over columns: pairs of how to name it and the Column."""

    def __init__(self, rng, columns, constants, params=0.0):
        self.rng = rng
        self.constants = constants
        self.params = params
        self.all = columns
        self.by_family = {}
        for ref, column in columns:
            self.by_family.setdefault(column.type.family, []).append(ref)
        self.families = [c.type.family for _, c in columns if c.type.family not in values.OPAQUE]

    def chance(self, p):
        """True with this probability."""
        return self.rng.random() < p

    # -- scalars --------------------------------------------------------------

    def constant(self, family, null_share=0.04):
        """A constant of the family: half of them values of the table."""
        type_ = self.rng.choice(values.CONSTANT_TYPES[family])
        stock = self.constants.get(family)
        if self.chance(null_share):
            value = None
        elif stock and self.chance(0.5):
            type_, value = self.rng.choice(stock)
            if type_.family in ('text', 'bpchar', 'name') and self.chance(0.3):
                value = self.near_miss(value)
        else:
            value = type_.value(self.rng)
        return Constant(type_, value, self.chance(self.params))

    def near_miss(self, text):
        """A string that differs in one place."""
        kind = self.rng.random()
        if kind < 0.4 or not text:
            return text[:-1] + self.rng.choice('abB1 ')
        if kind < 0.7:
            return text[:-1]
        return text + ' ' if kind < 0.85 else text.swapcase()

    def column(self, family):
        """A column of the family, or None."""
        refs = self.by_family.get(family)
        return Node(family, self.rng.choice(refs)) if refs else None

    def other_side(self, family):
        """What stands on the other side of a comparison."""
        kind = self.rng.random()
        if kind < 0.62:
            return self.constant(self.rng.choice(CROSS.get(family, [family])))
        if kind < 0.68 and family in STABLE:
            return Node(family, self.rng.choice(STABLE[family]))
        if kind < 0.74:
            return Node(family, '(SELECT {})', self.constant(family))
        return self.scalar(self.rng.choice(CROSS.get(family, [family])), 1)

    def scalar(self, family, depth):
        """An expression of the family: mostly a column."""
        kind = self.rng.random()
        if depth > 0 and kind < 0.35:
            made = self.compound(family, depth - 1)
            if made:
                return made
        return self.column(family) or self.constant(family)

    def compound(self, family, depth):
        """A function, arithmetic or conditional; None where there is none."""
        kind = self.rng.random()
        if kind < 0.4 and family in FUNCTIONS:
            source, form = self.rng.choice(FUNCTIONS[family])
            # what may fail is rarer
            if any(f in form for f in FALLIBLE) and self.chance(0.6):
                return None
            return Node(family, form, self.scalar(source, depth))
        if kind < 0.6 and family in ARITHMETIC:
            op = self.rng.choice(ARITHMETIC[family])
            right = self.scalar(family, depth)
            if op in '/%' and self.chance(0.8):
                right = Node(family, 'nullif({}, 0)', right)
            return Node(family, f'({{}} {op} {{}})', self.scalar(family, depth), right)
        if kind < 0.75:
            parts = [self.scalar(family, depth) for _ in range(self.rng.randint(1, 3))]
            return Node(family, 'coalesce({0})', *parts, self.constant(family), sep=', ')
        if kind < 0.9:
            return Node(family, 'CASE WHEN {} THEN {} ELSE {} END', self.clause(depth), self.scalar(family, depth),
                        self.scalar(family, depth))
        return Node(family, 'nullif({}, {})', self.scalar(family, depth), self.constant(family))

    # -- booleans -------------------------------------------------------------

    def where(self):
        """A whole WHERE clause: conjuncts in any order."""
        conjuncts = [self.clause(self.rng.choice([0, 0, 1, 2, 3, 4])) for _ in range(self.rng.choice([1, 1, 1, 2, 2, 3]))]
        return Node('bool', '{0}', *conjuncts, sep=' AND ')

    def clause(self, depth):
        """A boolean expression."""
        if depth > 0:
            kind = self.rng.random()
            if kind < 0.5:
                kids = [self.clause(depth - 1) for _ in range(self.rng.randint(2, 3))]
                return Node('bool', '({0})', *kids, sep=self.rng.choice([' AND ', ' OR ']))
            if kind < 0.62:
                return Node('bool', '(NOT {})', self.clause(depth - 1))
            if kind < 0.7:
                test = self.rng.choice(['TRUE', 'FALSE', 'UNKNOWN', 'NOT TRUE', 'NOT FALSE', 'NOT UNKNOWN'])
                return Node('bool', f'({{}} IS {test})', self.clause(depth - 1))
            if kind < 0.78:
                made = self.compound('bool', depth - 1)
                if made:
                    return made
        return self.leaf(min(depth, 2))

    def leaf(self, depth):
        """A test of scalars."""
        kind = self.rng.random()
        if not self.families or kind < 0.08:
            ref, _ = self.rng.choice(self.all)
            return Node('bool', f'({{}} IS {self.rng.choice(["", "NOT "])}NULL)', Node('any', ref))
        family = self.rng.choice(self.families)
        if family == 'bool' and kind < 0.5:
            return self.scalar('bool', depth)
        left = self.scalar(family, depth)
        if kind < 0.3 and family in ('text', 'bpchar', 'name', 'bytea'):
            return self.pattern(left)
        if kind < 0.55:
            return Node('bool', f'({{}} {self.rng.choice(COMPARISONS)} {{}})', *self.either(left, self.other_side(family)))
        if kind < 0.7:
            return self.among(left, family)
        if kind < 0.8:
            form = self.rng.choice(['({} IS DISTINCT FROM {})', '({} IS NOT DISTINCT FROM {})'])
            return Node('bool', form, *self.either(left, self.other_side(family)))
        if kind < 0.9:
            form = self.rng.choice(['({} BETWEEN {} AND {})', '({} NOT BETWEEN {} AND {})', '({} BETWEEN SYMMETRIC {} AND {})'])
            return Node('bool', form, left, self.other_side(family), self.other_side(family))
        text = self.column('text')
        return self.pattern(text) if text else Node('bool', '({} = {})', left, self.constant(family))

    def either(self, left, right):
        """Both, in one order or the other."""
        return (right, left) if self.chance(0.2) else (left, right)

    def among(self, left, family):
        """IN, ANY, ALL; with NULLs, without members, as a constant or a parameter."""
        type_ = self.rng.choice(values.CONSTANT_TYPES[family])
        stock = [v for t, v in self.constants.get(family, []) if t.base == type_.base]
        members = []
        for _ in range(self.rng.choice([0, 1, 2, 3, 5, 12])):
            value = self.rng.choice(stock) if stock and self.chance(0.5) else type_.value(self.rng)
            members.append(Constant(type_, None if self.chance(0.07) else value))
        if members and self.chance(0.5):
            form = f'({{1}} {self.rng.choice(["IN", "NOT IN"])} ({{0}}))'
            return InList(form, left, members)
        op = self.rng.choice(['=', '=', '<>', '<', '>='])
        quantifier = self.rng.choice(['ANY', 'ALL'])
        return InList(f'({{1}} {op} {quantifier} (ARRAY[{{0}}]::{type_.base}[]))', left, members)

    def pattern(self, text):
        """LIKE and its kin."""
        kind = self.rng.random()
        form = '({} LIKE {})'
        if text.family == 'bytea':
            return Node('bool', self.rng.choice(['({} LIKE {})', '({} NOT LIKE {})']), text, self.constant('bytea'))
        if self.chance(0.3):
            return self.regex(text)
        if kind < 0.55:
            op = self.rng.choice(['LIKE', 'LIKE', 'NOT LIKE', 'ILIKE', 'NOT ILIKE'])
            escape = self.rng.choice(['', '', '', '', " ESCAPE '!'", " ESCAPE ''", " ESCAPE '_'", " ESCAPE 'é'"])
            form = f'({{}} {op} {{}}{escape})'
        elif kind < 0.7 and text.family == 'text':
            form = self.rng.choice(['({} ^@ {})', 'starts_with({}, {})'])
            return Node('bool', form, text, Constant(values.TEXT, self.stock_text()[:3], self.chance(self.params)))
        elif kind < 0.85:
            op = self.rng.choice(['LIKE', 'NOT LIKE', 'ILIKE', 'NOT ILIKE'])
            members = [Constant(values.TEXT, self.like_pattern()) for _ in range(self.rng.randint(0, 4))]
            return InList(f'({{1}} {op} {self.rng.choice(["ANY", "ALL"])} (ARRAY[{{0}}]::text[]))', text, members)
        return Node('bool', form, text, Constant(values.TEXT, self.like_pattern(), self.chance(self.params)))

    def regex(self, text):
        """~ and its kin, now and then several of them and of LIKE, of one text."""
        if self.chance(0.8):
            return self.one_regex(text)
        tests = [Node('bool', '({} LIKE {})', text, Constant(values.TEXT, regexes.like(self.rng), self.chance(self.params)))
                 if self.chance(0.4) else self.one_regex(text) for _ in range(self.rng.choice([2, 2, 3, 5]))]
        return Node('bool', '(' + regexes.join(self.rng, ['{}'] * len(tests)) + ')', *tests)

    def one_regex(self, text):
        """~ and its kin."""
        op = self.rng.choice(['~', '~', '~*', '!~', '!~*'])
        kind = self.rng.random()
        if kind < 0.1:
            members = [Constant(values.TEXT, regexes.regex(self.rng)) for _ in range(self.rng.randint(0, 3))]
            return InList(f'({{1}} {op} {self.rng.choice(["ANY", "ALL"])} (ARRAY[{{0}}]::text[]))', text, members)
        if kind < 0.2:
            return Node('bool', '({} SIMILAR TO {})', text, Constant(values.TEXT, regexes.similar(self.rng)))
        if kind < 0.3 and text.family == 'text':
            return Node('bool', f'regexp_like({{}}, {{}}, {values.quote(self.rng.choice(regexes.FLAGS))})', text,
                        Constant(values.TEXT, regexes.regex(self.rng), self.chance(self.params)))
        return Node('bool', f'({{}} {op} {{}})', text,
                    Constant(values.TEXT, regexes.regex(self.rng), self.chance(self.params)))

    def stock_text(self):
        """A string, likely one of the table's."""
        stock = self.constants.get('text')
        return self.rng.choice(stock)[1] if stock and self.chance(0.7) else values.text_value(self.rng)

    def like_pattern(self):
        """A string with some of it made wildcards."""
        text = self.stock_text()[:self.rng.choice([3, 12, 12, 300])]
        text = text.replace('\\', '\\\\') if self.chance(0.8) else text
        for _ in range(self.rng.randint(0, 3)):
            i = self.rng.randint(0, len(text))
            j = min(len(text), i + self.rng.randint(0, 3))
            text = text[:i] + self.rng.choice(['%', '%', '%', '_', '__', '\\%', '\\_', '%%', '!%']) + text[j:]
        return text if self.chance(0.5) else '%' + text.strip('%') + '%'


class InList(Node):
    """A test of one expression against a list: {1} and {0} of the form."""

    def __init__(self, form, left, members):
        super().__init__('bool', form, left, *members)

    def sql(self, params=None):
        left = self.kids[0].sql(params)
        return self.form.format(', '.join(kid.sql(params) for kid in self.kids[1:]), left)

    def replaced(self, index, kid):
        kids = list(self.kids)
        kids[index] = kid
        return InList(self.form, kids[0], kids[1:])

    def reductions(self):
        yield from (Node('bool', 'true'), Node('bool', 'false'))
        for i in range(1, len(self.kids)):
            yield InList(self.form, self.kids[0], self.kids[1:i] + self.kids[i + 1:])
        for i, kid in enumerate(self.kids):
            for smaller in kid.reductions():
                yield self.replaced(i, smaller)
