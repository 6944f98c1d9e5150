"""Random statements over the functions of text_functions.py.

TextMaker makes the same clauses as clauses.Generator, but of its scalars most
are calls of these functions, one in another.  A statement has them in its WHERE
clause, in its SELECT list, or in both.

Of what makes a value longer (repeat, padding) there is only one large in an
expression, and none where the table holds huge values.
"""

import re

import clauses
import regexes
import statements
import text_functions
import text_tables
import values
from clauses import Constant, Node

SHAPES = ['select'] * 24 + ['cursor', 'limit', 'ordered', 'sub', 'grouped', 'union', 'rescan', 'correlated', 'aggregate',
                            'window', 'distinct', 'join', 'delete', 'update', 'lock', 'insert', 'create', 'scroll']

POSITIONS = ['0', '1', '1', '2', '2', '3', '4', '5', '7', '12', '-1', '-1', '-2', '-3', '-7', '64', '1000']
FAR = ['2147483647', '-2147483648', '-2147483647', '1073741824', '-1073741823']
SHORT = ['a', 'b', 'ab', 'abc', 'aa', ' ', ' ', ',', ', ', '/', '', 'é', 'ß', '日', '😀', '\u0301', 'A', 'aé', 'bc', 'abcabc', '  ',
         '%', '\\', 'error', 'e', 'o', '1', '10', '-', '@', '.', '\u00a0', 'x' * 40, 'ab日é ', 'ABC', 'zyx']
POINTS = ['0', '-1', '1', '65', '97', '127', '128', '160', '233', '255', '256', '2047', '2048', '8364', '55295', '55296', '57344',
          '65533', '65535', '65536', '128512', '1114111', '1114112', '2147483647', '-2147483648']
REPLACEMENTS = ['', 'X', '<\\&>', '\\1', '[\\1\\2]', '\\\\', 'é', '\\', '-\\9-', 'abc', '\\0', '$1']
FLAGS = ['', 'g', 'i', 'gi', 'n', 'x', 'gs', 'c', 'z', 'q', 'gq', 'w']
SIMILAR = ['%#"a_c#"%', '#"_#"%', '%#"[0-9]+#"%', '#"%#"', 'a#"b#"c', '%', '%#"é#"%']
KINDS = ['email', 'phone', 'card', 'ipv4', 'ipv6', 'iban', 'ssn', 'all', 'ip', 'credit_card']

# Casts of these give what a function of letter D, T, U or B takes.
SOURCES = {'D': ('int', 'int4'), 'T': ('date', 'date'), 'U': ('uuid', 'uuid'), 'B': ('bool', 'bool'),
           'E': ('float', 'float8')}

LENGTHS = ['0', '1', '1', '2', '3', '5', '9', '30', '1000', '2147483647']
BACK_REFERENCE = re.compile(r'\\[1-9]')

BUDGET = 40                     # calls in one statement


class TextMaker(clauses.Generator):
    """Makes clauses and scalars; 'functions' are those that the server has."""

    def __init__(self, rng, columns, constants, functions, collation, params=0.0, huge=False):
        super().__init__(rng, columns, constants, params)
        self.collation = collation
        self.huge = huge
        self.budget = BUDGET
        self.grown = huge
        self.functions = {}
        for function in functions:
            if huge and 'p' in function.kinds:
                continue
            self.functions.setdefault(function.family, []).extend([function] * function.weight)
        # texts first of all
        self.families = ['text'] * 8 + ['int'] * 4 + ['bool'] * 2 + ['bytea', 'bpchar', 'name', 'date', 'uuid', 'float', 'float']

    def by_type(self, types, family):
        """A column of one of these types, or None."""
        refs = [ref for ref, column in self.all if column.type in types]
        return Node(family, self.rng.choice(refs)) if refs else None

    # -- what clauses.Generator asks for ----------------------------------------

    def leaf(self, depth):
        """A test; mostly of a call."""
        if depth < 1 and self.chance(0.75):
            depth = self.rng.choice([1, 1, 1, 2, 2, 3])
        return super().leaf(depth)

    def scalar(self, family, depth):
        """A call as deep as that, a column or a constant."""
        if depth > 0 and self.budget > 0:
            kind = self.rng.random()
            if kind < 0.78 and family in self.functions:
                return self.call(family, depth)
            if kind < 0.84:
                made = self.compound(family, depth - 1)
                if made:
                    return made
        return self.collated(self.column(family) or self.constant(family))

    def collated(self, node):
        """A text, now and then under the statement's collation."""
        if node.family in ('text', 'bpchar') and self.chance(0.3):
            return Node(node.family, f'({{}} COLLATE {self.collation})', node)
        return node

    def regex(self, text):
        """As there; of huge values, some take PostgreSQL minutes."""
        if self.huge:
            return Node('bool', '({} LIKE {})', text, Constant(values.TEXT, self.like_pattern(), self.chance(self.params)))
        return super().regex(text)

    def like_pattern(self):
        """As there, but seldom long."""
        return super().like_pattern()[:200]

    def stock_text(self):
        """A value of the table, unless it is huge."""
        return super().stock_text()[:5000]

    # -- calls ------------------------------------------------------------------

    def call(self, family, depth):
        """A call of a function of this family."""
        self.budget -= 1
        function = self.rng.choice(self.functions[family])
        return self.called(function, depth)

    def called(self, function, depth):
        """A call of this function."""
        arguments = [self.argument(kind, depth - 1) for kind in function.kinds]
        return Node(function.family, function.form, *arguments)

    def argument(self, kind, depth):
        """What stands for this letter."""
        return getattr(self, 'of_' + kind)(depth)

    def text(self, depth):
        """A text of any type; a call, a column, seldom a constant."""
        kind = self.rng.random()
        if kind < 0.04:
            return self.scalar('name', 0)
        if kind < 0.12:
            return self.scalar('bpchar', 0)
        if kind < 0.18:
            return self.plain_constant(text_tables.TEXT)
        return self.scalar('text', depth)

    of_t = text

    def plain_constant(self, type_):
        """One that is not NULL, mostly."""
        value = None if self.chance(0.04) else type_.value(self.rng)
        return Constant(type_, value, self.chance(self.params))

    def choice(self, type_, stock, null_share=0.03):
        """One of these values."""
        return Constant(type_, None if self.chance(null_share) else self.rng.choice(stock), self.chance(self.params))

    def of_s(self, depth):
        """A short text: mostly a constant."""
        kind = self.rng.random()
        if kind < 0.62:
            return self.choice(values.TEXT, SHORT)
        if kind < 0.74:
            stock = self.stock_text()
            at = self.rng.randint(0, max(0, min(len(stock), 60) - 1))
            return Constant(values.TEXT, stock[at:at + self.rng.randint(1, 6)], self.chance(self.params))
        if kind < 0.8:
            return Node('text', 'left({}, {})', self.scalar('text', 0), Constant(values.INT4, str(self.rng.randint(-2, 3))))
        if kind < 0.9 and not self.huge:
            return self.scalar('text', min(depth, 1))
        return self.choice(values.TEXT, SHORT)

    def int4(self, depth, stock):
        """An int4: of the stock, a column, the length of something."""
        kind = self.rng.random()
        if kind < 0.7:
            return self.choice(values.INT4, stock)
        if kind < 0.8:
            made = self.by_type((text_tables.SMALL, values.INT2), 'int')
            if made:
                return Node('int', '({})::int4', made) if self.chance(0.3) else made
        if kind < 0.87 and depth > 0:
            form = self.rng.choice(['length({})', 'strpos({}, \'a\')', '(length({}) - 1)', '(length({}) / 2)', '(- length({}))'])
            return Node('int', form, self.text(depth - 1))
        if kind < 0.91:
            return Node('int', "current_setting('fuzz.number')::int4")
        return self.choice(values.INT4, stock)

    def of_i(self, depth):
        """A position or count."""
        if self.chance(0.08):
            return self.choice(values.INT4, FAR)
        if self.chance(0.02):
            return self.by_type((values.INT4,), 'int') or self.choice(values.INT4, FAR)
        return self.int4(depth, POSITIONS)

    def of_l(self, depth):
        """A length; a negative one is an error."""
        if self.chance(0.03):
            return self.choice(values.INT4, ['-1', '-2147483648'])
        if self.chance(0.1):
            return Node('int', 'abs({})', self.int4(depth, POSITIONS))
        return self.choice(values.INT4, LENGTHS)

    def of_f(self, depth):
        """Which field; 0 is an error."""
        if self.chance(0.03):
            return self.choice(values.INT4, ['0'] + FAR)
        if self.chance(0.1):
            made = self.by_type((text_tables.SMALL,), 'int')
            if made:
                return Node('int', 'coalesce(nullif({}, 0), 1)', made)
        return self.choice(values.INT4, ['1', '1', '2', '2', '3', '4', '9', '-1', '-1', '-2', '-3', '-9'])

    def sized(self, depth, small, large, errors):
        """How long something becomes."""
        kind = self.rng.random()
        if kind < 0.02:
            return self.choice(values.INT4, errors)
        if kind < 0.1 and not self.grown:
            self.grown = True
            return self.choice(values.INT4, large)
        if kind < 0.2:
            made = self.by_type((text_tables.SMALL,), 'int')
            if made:
                return made
        if kind < 0.25 and depth > 0:
            return Node('int', '(length({}) % 20)', self.text(depth - 1))
        return self.choice(values.INT4, small)

    def of_w(self, depth):
        """A width."""
        return self.sized(depth, ['0', '1', '2', '3', '5', '9', '12', '-1', '-5', '20', '-2147483648'], ['100', '1000', '3000'],
                          ['2147483647', '1073741823'])

    def of_r(self, depth):
        """How often."""
        return self.sized(depth, ['0', '1', '1', '2', '2', '3', '-1', '-2147483648'], ['17', '64', '300'], ['2147483647'])

    def of_n(self, depth):
        """An int4."""
        return self.by_type((values.INT4, text_tables.SMALL, text_tables.POINTS), 'int') if self.chance(0.7) else self.int4(
            depth, POSITIONS + FAR)

    def of_m(self, depth):
        """An int4 or int8."""
        if self.chance(0.3):
            return self.by_type((values.INT8,), 'int') or self.plain_constant(values.INT8)
        return self.of_n(depth) or self.plain_constant(values.INT4)

    def of_c(self, depth):
        """A code point."""
        kind = self.rng.random()
        made = self.by_type((text_tables.POINTS,), 'int') if kind < 0.5 else None
        if made:
            return made
        if kind < 0.75:
            return Node('int', self.rng.choice(['ascii({})', '(ascii({}) + 1)', '(length({}) + 96)']), self.text(depth - 1))
        return self.choice(values.INT4, POINTS)

    def of_x(self, depth):
        """Anything that has a text form."""
        if self.chance(0.75):
            return self.text(depth)
        family = self.rng.choice(['int', 'date', 'bool', 'uuid', 'bytea', 'bpchar', 'name'])
        return self.scalar(family, min(depth, 1))

    def castable(self, kind):
        """A text that a cast takes."""
        at_random = self.rng.random()
        types = text_tables.SORTS[kind]
        if at_random < 0.7:
            made = self.by_type(types, 'text')
            if made:
                return made
        family, type_ = SOURCES[kind]
        made = self.column(family) if at_random < 0.85 else None
        if made:
            return Node('text', f'({{}})::{type_}::text', made)
        return self.plain_constant(types[1] if self.chance(0.15) else types[0])

    def of_digits(self, kind, depth):
        """The same, in another call now and then."""
        made = self.castable(kind)
        if depth > 0 and self.chance(0.3):
            form = self.rng.choice(['btrim({})', "replace({}, '+', '')", "concat(' ', {})", 'upper({})', "({} || '')",
                                    "split_part({}, '|', 1)", 'substr({}, 1)', "nullif({}, '')", 'lower({})', '({})::varchar'])
            return Node('text', form, made)
        return made

    def of_D(self, depth):
        """Digits."""
        return self.of_digits('D', depth)

    def of_T(self, depth):
        """A date."""
        return self.of_digits('T', depth)

    def of_U(self, depth):
        """A uuid."""
        return self.of_digits('U', depth)

    def of_B(self, depth):
        """A truth value."""
        return self.of_digits('B', depth)

    def of_E(self, depth):
        """A float, as text."""
        return self.of_digits('E', depth)

    def of_F(self, depth):
        """A float."""
        made = self.by_type((values.FLOAT4, values.FLOAT8, text_tables.REALS), 'float') if self.chance(0.6) else None
        return made or self.scalar('float', min(depth, 1))

    def of_M(self, _depth):
        """A timestamp."""
        return self.by_type((values.TIMESTAMP,), 'date') or self.plain_constant(values.TIMESTAMP)

    def of_Q(self, _depth):
        """A numeric."""
        return self.by_type((values.NUMERIC, values.NUMERIC_8_2), 'numeric') or self.plain_constant(values.NUMERIC)

    def of_d(self, depth):
        """A date."""
        return self.scalar('date', min(depth, 1))

    def of_u(self, depth):
        """A uuid."""
        return self.scalar('uuid', min(depth, 1))

    def of_o(self, depth):
        """A boolean."""
        return self.scalar('bool', min(depth, 1))

    def of_b(self, depth):
        """A bytea."""
        kind = self.rng.random()
        if kind < 0.3:
            return Node('bytea', "convert_to({}, 'UTF8')", self.text(depth - 1))
        if kind < 0.4:
            return Node('bytea', "replace({}, '\\', '')::bytea", self.text(depth - 1))
        return self.scalar('bytea', depth)

    def of_p(self, _):
        """A regular expression."""
        pattern = regexes.regex(self.rng)
        while BACK_REFERENCE.search(pattern) and self.chance(0.9):
            # half of them are invalid
            pattern = regexes.regex(self.rng)
        return Constant(values.TEXT, None if self.chance(0.02) else pattern, self.chance(self.params))

    def of_g(self, _):
        """Flags; z is wrong."""
        return Constant(values.TEXT, self.rng.choice(FLAGS))

    def of_h(self, _):
        """Flags of a test."""
        return Constant(values.TEXT, self.rng.choice(regexes.FLAGS))

    def of_R(self, _):
        """What replaces a match."""
        return self.choice(values.TEXT, REPLACEMENTS)

    def of_S(self, _):
        """A pattern of SIMILAR."""
        return self.choice(values.TEXT, SIMILAR)

    def of_P(self, _):
        """An array of needles."""
        members = [self.choice(values.TEXT, SHORT, 0.01) for _ in range(self.rng.randint(0, 6))]
        stock = self.stock_text()
        if self.chance(0.5) and stock:
            # what is there
            at = self.rng.randint(0, min(len(stock), 60) - 1)
            members.append(Constant(values.TEXT, stock[at:at + self.rng.randint(1, 8)]))
        members = members or [self.choice(values.TEXT, SHORT)]
        return Node('array', 'ARRAY[{0}]::text[]', *members, sep=', ')

    def of_A(self, depth):
        """An array of texts, now and then with a NULL."""
        members = [Node('text', '({})::text', self.text(min(depth, 1))) for _ in range(self.rng.choice([1, 1, 2, 3]))]
        if self.chance(0.2):
            members.append(Node('text', 'NULL'))
        return Node('array', 'ARRAY[{0}]', *members, sep=', ')

    def of_K(self, _):
        """An array of kinds."""
        kinds = self.rng.sample(KINDS[:7], self.rng.randint(1, 4)) if self.chance(0.97) else self.rng.sample(KINDS, 2)
        return Node('array', 'ARRAY[' + ', '.join(values.quote(kind) for kind in kinds) + ']')

    def of_k(self, _):
        """A distance."""
        return self.choice(values.INT4, ['0', '1', '1', '2', '3', '5', '40'] if self.chance(0.97) else ['-1', '2147483647'])

    # -- conditions that a wrong value is seen by ---------------------------------

    def telling(self, ask):
        """A comparison of a call with values that it has, so that another value of a row changes the answer.

        ask(expression) gives some of them.
        """
        family = self.rng.choice(['text'] * 10 + ['int'] * 5 + ['bytea', 'date', 'uuid', 'bool'])
        depth = self.rng.choice([1, 1, 1, 2, 2, 3])
        call = self.call(family, depth) if self.functions.get(family) else self.scalar(family, depth)
        found = [value for value in ask(call) if len(value) < 300]
        if not found or family == 'bool':
            return call if family == 'bool' else Node('bool', '({} IS NOT NULL)', call)
        type_ = {'int': values.INT8, 'text': values.TEXT, 'bytea': values.BYTEA, 'date': values.DATE, 'uuid': values.UUID}[family]
        kind = self.rng.random()
        if kind < 0.5:
            taken = self.rng.sample(found, self.rng.randint((len(found) + 1) // 2, len(found)))
            members = [Constant(type_, value) for value in taken]
            return clauses.InList(f'({{1}} {self.rng.choice(["IN", "IN", "NOT IN"])} ({{0}}))', call, members)
        op = self.rng.choice(['=', '=', '<>'] + (['IS DISTINCT FROM'] if family == 'text' else ['<', '>=']))
        return Node('bool', f'({{}} {op} {{}})', call, Constant(type_, self.rng.choice(found), self.chance(self.params)))

    # -- outputs ----------------------------------------------------------------

    def output(self):
        """An expression of the SELECT list."""
        depth = self.rng.choice([1, 1, 1, 2, 2, 3, 4])
        kind = self.rng.random()
        family = self.rng.choice(['text'] * 12 + ['int'] * 4 + ['bool', 'bytea', 'date', 'uuid'])
        if kind < 0.9 and self.functions.get(family):
            return self.call(family, depth)
        return self.compound(family, depth) or self.call('text', depth)


def make_maker(rng, tables, functions, params):
    """A TextMaker over the columns of these tables."""
    columns = [(f'{table.name}.{c.name}', c) for table in tables for c in table.visible()]
    collations = [c.collation for _, c in columns if c.collation] or ['"C"']
    return TextMaker(rng, columns, tables[0].constants(), functions, rng.choice(collations), params,
                     huge=getattr(tables[0], 'huge', False))


def random_statement(rng, table, other, functions, ask):
    """A statement with calls in WHERE, in the SELECT list, or both; ask(expression) gives values that it has in the table."""
    shape = rng.choice(SHAPES)
    prepared = shape not in statements.UNPREPARED and rng.random() < 0.25
    tables = [table, table, other] if shape in ('rescan', 'correlated', 'join') else [table]
    maker = make_maker(rng, tables, functions, 0.7 if prepared else 0)
    kind = rng.random()
    names = [c.name for c in table.visible()]
    targets = ['id'] + rng.sample(names, min(len(names), rng.choice([0, 0, 1, 2])))
    where = None
    if kind < 0.65:
        where = maker.where()
        if rng.random() < 0.7:
            # alone, or with others
            telling = maker.telling(ask)
            where = telling if rng.random() < 0.7 else Node('bool', '{} AND {}', *rng.sample([telling, where], 2))
    if kind > 0.35:
        targets = targets[:rng.randint(1, 3)] + [maker.output() for _ in range(rng.choice([1, 1, 2, 3]))]
    statement = statements.Statement(where, targets, shape, prepared=prepared)
    statement.number = rng.choice([0, 1, 3, 20])
    statement.generic = rng.random() < 0.6
    statement.settings['statement_timeout'] = '4s'
    if rng.random() < 0.15:
        statement.settings.update(statements.PARALLEL)
    if rng.random() < 0.3:
        statement.settings['gpustr.batch_depth'] = str(rng.choice([1, 2, 8]))
    if rng.random() < 0.2:
        statement.settings['DateStyle'] = rng.choice(['SQL, DMY', 'German', 'Postgres, MDY', 'ISO, DMY', 'ISO, YMD'])
    if rng.random() < 0.1:
        statement.settings['bytea_output'] = 'escape'
    return statement
