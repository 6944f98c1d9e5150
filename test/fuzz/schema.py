"""A random table, as data that can be shrunk and printed as SQL.

A Table is columns, rows, and what is done to it afterwards.  statements() makes
the SQL that builds it in an empty schema; nothing else knows how.  The shrinker
takes columns, rows and actions away and tries again: a combination that SQL
refuses just does not count, so no care is taken here to keep one valid.

A table comes to be in this order, so that old tuples are short of columns and
have values of dropped ones:

    create with the first columns - storage, compression - half of the rows -
    add the later columns - drop some - the other rows - actions (update,
    delete, vacuum, analyze, ...) - policy, view
"""

from dataclasses import dataclass, field
from typing import Optional

import values

SCHEMA = 'fuzz_scan'
READER = 'fuzz_scan_reader'     # the role that row security applies to


@dataclass
class Column:
    """One column; 'later': added when half of the rows are there."""
    name: str
    type: values.Type
    collation: Optional[str] = None
    not_null: bool = False
    storage: Optional[str] = None
    compression: Optional[str] = None
    generated: Optional[str] = None
    later: bool = False
    default: Optional[str] = None
    dropped: bool = False

    def definition(self):
        """As CREATE TABLE and ADD COLUMN take it."""
        parts = [self.name, self.type.sql]
        if self.collation:
            parts.append(f'COLLATE {self.collation}')
        if self.generated:
            parts.append(f'GENERATED ALWAYS AS ({self.generated}) STORED')
        if self.default is not None:
            parts.append(f'DEFAULT {self.type.literal(self.default)}')
        if self.not_null:
            parts.append('NOT NULL')
        return ' '.join(parts)


@dataclass
class Table:
    """One table; a row is a dict from column name to value."""
    name: str
    columns: list
    kind: str = 'plain'         # plain, unlogged, partitioned, inherited
    options: dict = field(default_factory=dict)
    rows: list = field(default_factory=list)
    actions: list = field(default_factory=list)
    policy: Optional[object] = None     # a clause; see clauses.py
    barrier: Optional[object] = None    # the clause of a security barrier view

    def visible(self):
        """The columns that a query can name."""
        return [c for c in self.columns if not c.dropped]

    def statements(self):
        """The SQL that builds it."""
        first = [c for c in self.columns if not c.later]
        half = len(self.rows) // 2
        yield from self._create(first)
        for table in self._heaps():
            for c in first:
                if c.storage:
                    yield f'ALTER TABLE {table} ALTER {c.name} SET STORAGE {c.storage}'
                if c.compression:
                    yield f'ALTER TABLE {table} ALTER {c.name} SET COMPRESSION {c.compression}'
        yield from self._insert(self.rows[:half], [c for c in first if not c.generated])
        for c in self.columns:
            if c.later:
                yield f'ALTER TABLE {self.name} ADD COLUMN {c.definition()}'
        for c in self.columns:
            if c.dropped:
                yield f'ALTER TABLE {self.name} DROP COLUMN {c.name} CASCADE'
        yield from self._insert(self.rows[half:], [c for c in self.visible() if not c.generated])
        yield from self.actions
        yield f'GRANT ALL ON {self.name} TO {READER}'
        if self.policy:
            yield f'CREATE POLICY p ON {self.name} USING ({self.policy.sql()})'
            yield f'ALTER TABLE {self.name} ENABLE ROW LEVEL SECURITY'
        if self.barrier:
            yield (f'CREATE VIEW {self.name}_view WITH (security_barrier) AS '
                   f'SELECT * FROM {self.name} WHERE {self.barrier.sql()}')
            yield f'GRANT ALL ON {self.name}_view TO {READER}'

    def _heaps(self):
        """The tables that rows are in, or that pass their settings on to those."""
        if self.kind == 'partitioned':
            return [self.name, f'{self.name}_low', f'{self.name}_high']
        return [self.name, f'{self.name}_child'] if self.kind == 'inherited' else [self.name]

    def _create(self, columns):
        definitions = [c.definition() for c in columns]
        body = ', '.join(definitions)
        shuffled = ', '.join(reversed(definitions))
        options = ', '.join(f'{k} = {v}' for k, v in {'autovacuum_enabled': 'off', **self.options}.items())
        if self.kind == 'partitioned':
            yield f'CREATE TABLE {self.name} ({body}) PARTITION BY RANGE (id)'
            yield f'CREATE TABLE {self.name}_low PARTITION OF {self.name} FOR VALUES FROM (MINVALUE) TO (30) WITH ({options})'
            # another column order, and a dropped column
            yield f'CREATE TABLE {self.name}_high (gone text, {shuffled}) WITH ({options})'
            yield f'ALTER TABLE {self.name}_high DROP COLUMN gone'
            yield f'ALTER TABLE {self.name} ATTACH PARTITION {self.name}_high FOR VALUES FROM (30) TO (MAXVALUE)'
            return
        unlogged = 'UNLOGGED ' if self.kind == 'unlogged' else ''
        yield f'CREATE {unlogged}TABLE {self.name} ({body}) WITH ({options})'
        if self.kind == 'inherited':
            yield f'CREATE TABLE {self.name}_child (own text DEFAULT \'own\') INHERITS ({self.name}) WITH ({options})'

    def _insert(self, rows, columns):
        """The rows, in one statement; of an inherited table, half into the child."""
        names = ', '.join(c.name for c in columns)
        targets = self._heaps() if self.kind == 'inherited' else [self.name]
        for i, target in enumerate(targets):
            tuples = ['(' + ', '.join(values.quote(row.get(c.name)) for c in columns) + ')'
                      for row in rows[i::len(targets)]]
            if tuples and columns:
                yield f'INSERT INTO {target} ({names}) VALUES\n  ' + ',\n  '.join(tuples)

    def constants(self):
        """The values in the table, by family: constants are drawn from them."""
        found = {}
        for c in self.visible():
            stock = found.setdefault(c.type.family, [])
            for row in self.rows[:40]:
                value = row.get(c.name)
                if value is not None:
                    stock.append((c.type, value))
        return found


def make_role():
    """The role, which belongs to the cluster."""
    return f"DO $$ BEGIN IF to_regrole('{READER}') IS NULL THEN CREATE ROLE {READER}; END IF; END $$"


def preamble(collations):
    """The schema, its types, the role."""
    labels = ', '.join(values.quote(label) for label in values.ENUM)
    yield 'SET client_min_messages = error'
    yield f'DROP SCHEMA IF EXISTS {SCHEMA} CASCADE'
    yield f'CREATE SCHEMA {SCHEMA}'
    yield f'SET search_path = {SCHEMA}'
    yield f'CREATE TYPE mood AS ENUM ({labels})'
    yield 'CREATE DOMAIN text_domain AS text CHECK (octet_length(VALUE) < 100000)'
    yield 'CREATE DOMAIN int_domain AS int4 CHECK (VALUE > -1000)'
    if 'nondet' in collations:
        yield "CREATE COLLATION nondet (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
    if 'en_us' in collations:
        yield "CREATE COLLATION en_us (provider = libc, locale = 'en_US.utf8')"
    yield make_role()
    yield f'GRANT USAGE ON SCHEMA {SCHEMA} TO {READER}'


def random_column(rng, number, collations):
    """One column of any type."""
    c = Column(f'c{number}', rng.choice(values.COLUMN_TYPES))
    if c.type.collatable and rng.random() < 0.5:
        c.collation = rng.choice(collations)
    if c.type.varlena:
        if rng.random() < 0.4:
            c.storage = rng.choice(['plain', 'main', 'external', 'extended'])
        if rng.random() < 0.2 and c.type.family in ('text', 'bpchar', 'bytea', 'jsonb'):
            c.compression = rng.choice(['pglz', 'lz4'])
    c.not_null = rng.random() < 0.2
    c.dropped = rng.random() < 0.1
    c.later = rng.random() < 0.15
    if c.later:
        c.storage = c.compression = None
        if c.not_null or rng.random() < 0.6:
            c.default = c.type.value(rng)
    return c


def generated_column(rng, columns):
    """One that is computed from another, or None."""
    expressions = {'text': '{0} || \'x\'', 'int': '{0} % 7', 'bool': 'NOT {0}', 'float': '-{0}', 'numeric': 'abs({0})'}
    sources = [c for c in columns if c.type.family in expressions and not c.later and not c.dropped]
    if not sources:
        return None
    source = rng.choice(sources)
    result = {'text': values.TEXT, 'int': values.INT8, 'bool': values.BOOL,
              'float': values.FLOAT8, 'numeric': values.NUMERIC}[source.type.family]
    return Column('g', result, generated=expressions[source.type.family].format(source.name))


def random_row(rng, columns, number):
    """NULLs among the values; PLAIN storage and wide rows keep to a page."""
    row = {'id': str(number)}
    room = 6000
    for c in columns:
        if c.generated or c.name == 'id':
            continue
        value = None
        if c.not_null or rng.random() >= values.NULL_SHARE:
            value = c.type.value(rng)
            while c.storage == 'plain' and len(value.encode()) > room // 4:
                value = c.type.value(rng)
            if c.storage == 'plain':
                room -= len(value.encode())
        row[c.name] = value
    return row


def random_actions(rng, name, columns):
    """Updates, deletes and vacuums in any order; each SQL statement may be left out."""
    plain = [c for c in columns if not (c.generated or c.dropped or c.name == 'id')]
    actions = []
    for _ in range(rng.choice([0, 1, 1, 2, 3, 5])):
        kind = rng.random()
        which = f'id % {rng.randint(2, 5)} = {rng.randint(0, 1)}'
        if kind < 0.4 and plain:
            c = rng.choice(plain)
            value = c.type.value(rng)
            if c.storage == 'plain' and len(value.encode()) > 1000:
                continue
            actions.append(f'UPDATE {name} SET {c.name} = {c.type.literal(value)} WHERE {which}')
        elif kind < 0.5:
            actions.append(f'UPDATE {name} SET id = id WHERE {which}')
        elif kind < 0.65:
            actions.append(f'DELETE FROM {name} WHERE {which}')
        elif kind < 0.75:
            actions.append(f'BEGIN; DELETE FROM {name}; ROLLBACK')
        elif kind < 0.9:
            actions.append(f'VACUUM {rng.choice(["", "(FREEZE) ", "(FULL) "])}{name}')
        else:
            names = ', '.join(c.name for c in columns if not (c.generated or c.dropped))
            actions.append(f'INSERT INTO {name} ({names}) SELECT {names} FROM {name}, generate_series(1, 8)')
    if rng.random() < 0.6:
        actions.append(f'ANALYZE {name}')
    return actions


def random_table(rng, name, collations, size=None):
    """A table of 1 to 12 columns besides id, now and then of many more."""
    count = rng.randint(1, 12) if rng.random() < 0.97 else 200
    columns = [random_column(rng, i, collations) for i in range(1, count + 1)]
    if rng.random() < 0.2:
        generated = generated_column(rng, columns)
        if generated:
            columns.append(generated)
    columns.insert(rng.randint(0, len(columns)), Column('id', values.INT4))
    table = Table(name, columns)
    table.kind = rng.choices(['plain', 'unlogged', 'partitioned', 'inherited'], [70, 8, 12, 10])[0]
    if rng.random() < 0.2:
        table.options['fillfactor'] = rng.choice([10, 50, 90])
    if rng.random() < 0.15:
        table.options['toast_tuple_target'] = rng.choice([128, 500, 4080])
    if size is None:
        size = rng.choice([0, 1, 5, 40, 60, 100, 150]) if count < 100 else 20
    table.rows = [random_row(rng, columns, i) for i in range(1, size + 1)]
    table.actions = random_actions(rng, name, columns)
    return table
