"""Random expressions of a SELECT list over gpustr.redact() and gpustr.mask().

Output makes trees (see clauses.py) over what a clauses.Generator knows: the
functions over columns, constants and expressions, alone and inside others.  Of
the columns, those that hold names and visibilities are taken more often.

What raises an error (a negative count) is rare, and often stands where it must
not be evaluated: in a branch of CASE that is not taken.
"""

import values
from clauses import Constant, Node

MASKS = ['X', '*', '.', 'é', '日', '😀', '', 'ab', 'e\u0301', '%', 'xyz' * 20]

# forms around an output: what family they make
AROUND = [('text', 'upper({})'), ('text', 'lower({})'), ('text', '({} || \'!\')'), ('text', 'substr({}, 2)'),
          ('text', 'coalesce({}, \'none\')'), ('text', '({} COLLATE "C")'), ('text', '({})::varchar(5)'), ('text', 'md5({})'),
          ('bpchar', '({})::char(4)'), ('int', 'length({})'), ('int', 'octet_length({})'), ('bool', '({} IS NULL)'),
          ('bool', '({} = \'X X\')'), ('bool', '({} LIKE \'%X%\')'), ('array', 'ARRAY[{}]'), ('row', 'ROW({})')]


class Output:
    """Makes expressions with gpustr.redact() or gpustr.mask() in them."""

    def __init__(self, maker):
        self.maker = maker
        self.rng = maker.rng

    def expression(self):
        """One, mostly alone."""
        kind = self.rng.random()
        if kind < 0.5:
            return self.call(1)
        if kind < 0.75:
            family, form = self.rng.choice(AROUND)
            return Node(family, form, self.call(1))
        if kind < 0.83:
            return Node('text', 'CASE WHEN {} THEN {} END', self.maker.clause(1), self.call(1, wrong=0.3))
        if kind < 0.91:
            return Node('text', 'CASE WHEN {} THEN {} ELSE {} END', self.maker.clause(1), self.call(1, wrong=0.3), self.call(1))
        if kind < 0.95:
            return Node('text', 'concat_ws(\'|\', {0})', *[self.call(1) for _ in range(self.rng.randint(1, 3))], sep=', ')
        return Node('text', 'nullif({}, {})', self.call(1), self.call(1))

    def call(self, depth, wrong=0.02):
        """redact() or mask()."""
        if self.rng.random() < 0.5:
            return Node('text', 'gpustr.redact({}, {})', self.text(depth, values.PERSON), self.visibility(depth))
        parts = [self.text(depth, values.PERSON), self.count(wrong), self.count(wrong)]
        if self.rng.random() < 0.6:
            parts.append(self.mask())
        return Node('text', 'gpustr.mask({0})', *parts, sep=', ')

    def text(self, depth, wanted):
        """What is redacted: a column mostly, one of the wanted type rather than others."""
        kind = self.rng.random()
        stock = [ref for ref, column in self.maker.all if column.type is wanted]
        if stock and kind < 0.45:
            return Node('text', self.rng.choice(stock))
        if depth > 0 and kind > 0.93:
            return self.call(depth - 1)
        if depth > 0 and kind > 0.83:
            return self.maker.scalar('text', 1)
        if kind > 0.78:
            other = self.maker.column(self.rng.choice(['bpchar', 'name', 'int', 'enum']))
            if other:
                return Node('text', '({})::text', other)
        if kind > 0.74:
            return self.constant(wanted)
        return self.maker.column('text') or self.constant(wanted)

    def constant(self, type_):
        """A constant of this type; of a prepared statement perhaps a parameter."""
        value = None if self.rng.random() < 0.05 else type_.value(self.rng)
        return Constant(type_, value, self.maker.chance(self.maker.params))

    def visibility(self, depth):
        """Who may see it."""
        kind = self.rng.random()
        if kind < 0.3:
            return Constant(values.VISIBILITY, 'public', self.maker.chance(self.maker.params))
        if kind < 0.4:
            return self.constant(values.VISIBILITY)
        if kind < 0.5:
            return Node('text', 'CASE WHEN {} THEN \'public\' ELSE \'private\' END', self.maker.clause(0))
        if kind < 0.54:
            return Node('text', "current_setting('fuzz.visibility')")
        return self.text(depth, values.VISIBILITY)

    def count(self, wrong):
        """How many characters to keep."""
        kind = self.rng.random()
        if kind < 0.8:
            value = str(-self.rng.randint(1, 3)) if self.rng.random() < wrong else self.rng.choice(
                ['0', '0', '1', '1', '2', '3', '4', '12', '130', '2147483647'])
            return Constant(values.INT4, None if self.rng.random() < 0.02 else value, self.maker.chance(self.maker.params))
        if kind < 0.86:
            return Node('int', "current_setting('fuzz.number')::int4")
        column = self.maker.column('int') if kind < 0.95 else None
        if column:
            # not too large, and not negative
            return Node('int', '({} & 15)::int4', column)
        return Constant(values.INT4, '1')

    def mask(self):
        """What stands for a character."""
        kind = self.rng.random()
        if kind < 0.9:
            value = None if self.rng.random() < 0.03 else self.rng.choice(MASKS)
            return Constant(values.TEXT, value, self.maker.chance(self.maker.params))
        return Node('text', 'substr({}, 1, 1)', self.text(0, values.TEXT))
