"""Tables that meet, and a random statement that joins them.

Keys come in slots: columns k1, k2, ... of every table are of one family, though
not of one type, and draw from one small pool of values, so that they meet, with
NULLs and values of no other table among them.

A JoinStatement is data, so that the shrinker can make it plainer, as a Statement
of statements.py is.
"""

import copy
from dataclasses import dataclass, field, replace
from typing import Optional

import clauses
import schema
import statements
import values

# What makes the planner take a GpuJoin wherever there is one.
EAGER = {**statements.EAGER, 'gpustr.enable_join': 'on', 'gpustr.table_row_cost': '0', 'gpustr.probe_row_cost': '0',
         'statement_timeout': '60s'}

# Types of the columns of one slot: the values of the first suit all others.
SLOTS = [
    [values.INT2, values.INT4, values.INT8], [values.INT4, values.INT8], [values.INT4], [values.INT8],
    [values.INT_DOMAIN, values.INT4, values.INT8], [values.OID], [values.BOOL], [values.CHAR], [values.DATE], [values.TIME],
    [values.TIMESTAMP], [values.TIMESTAMPTZ], [values.UUID], [values.FLOAT4, values.FLOAT8], [values.FLOAT8],
    [values.NUMERIC_8_2, values.NUMERIC], [values.NUMERIC], [values.VARCHAR_12, values.TEXT, values.VARCHAR, values.TEXT_DOMAIN],
    [values.TEXT], [values.TEXT], [values.NAME, values.TEXT], [values.NAME], [values.BPCHAR_9, values.TEXT, values.VARCHAR],
    [values.BPCHAR_9], [values.BPCHAR_1, values.BPCHAR_9], [values.BYTEA], [values.MOOD], [values.INTERVAL], [values.TIMETZ]]

# Both sides of a key, with the one column in it: by the family of the slot.
EXPRESSIONS = {
    'int': ['{} % 7', '{}::numeric', '{}::int8', 'abs({}::numeric)'], 'text': ['lower({})', 'substr({}, 1, 2)', 'length({})', "{} || 'x'"],
    'float': ['{}::float8', '-{}'], 'numeric': ['abs({})', 'round({}, 1)'], 'bpchar': ['{}::text', 'upper({})'], 'name': ['{}::text'],
    'bytea': ['length({})'], 'date': ['{}::date'], 'bool': ['NOT {}'], 'uuid': ['{}::text']}

# The same key on both sides, cast on one of them, so that several joins have it in common: left, right.
CASTS = {
    'int': ['{}::int8|{}', '{}|{}::int8', '{}::numeric|{}::numeric'], 'text': ['{}::text|{}', '{}|{}::text', '{}::varchar|{}::text'],
    'bpchar': ['{}::text|{}::text', '{}::text|{}', '{}|{}::bpchar', '{}::varchar|{}::varchar'], 'name': ['{}::text|{}::text', '{}|{}::name'],
    'numeric': ['{}::numeric|{}', '{}|{}::numeric'], 'float': ['{}::float8|{}', '{}|{}::float8'], 'date': ['{}::timestamp|{}::timestamp']}

KINDS = ['JOIN'] * 5 + ['LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN'] * 2 + ['EXISTS', 'NOT EXISTS', 'IN'] * 2
SEMI_KINDS = ['EXISTS'] * 6 + ['IN'] * 3 + ['NOT EXISTS'] * 2
CHAIN_KINDS = SEMI_KINDS + ['JOIN'] * 3 + ['LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN']
SHAPES = ['select'] * 6 + ['count', 'count', 'aggregate', 'limit', 'ordered', 'rescan', 'cursor', 'union', 'nested']
CHAIN_SHAPES = SHAPES + ['key order', 'key groups', 'key distinct', 'limit']


@dataclass
class Join:
    """One more table: how it comes in, by which keys, and what else must hold."""
    kind: str
    table: str
    keys: list                  # (left alias, slot, form or None); form: of both sides, or 'left|right'
    extra: Optional[clauses.Node] = None
    alias: str = ''             # that of the table, where it is not its name

    def name(self):
        """What its columns are called by."""
        return self.alias or self.table

    def sides(self, key):
        """Both sides of a key."""
        left, slot, form = key
        forms = (form or '{}').split('|')
        return forms[0].format(f'{left}.k{slot}'), forms[-1].format(f'{self.name()}.k{slot}')

    def relation(self):
        """In FROM."""
        return f'{self.table} {self.alias}' if self.alias else self.table

    def condition(self):
        """The ON clause."""
        parts = [' = '.join(self.sides(key)) for key in self.keys]
        if self.extra:
            parts.append(f'({self.extra.sql()})')
        return ' AND '.join(parts) or 'true'


@dataclass
class JoinStatement:
    """A chain of joins that starts with table a."""
    joins: list
    where: Optional[clauses.Node]
    targets: list
    form: str = 'select'        # what is made of it
    settings: dict = field(default_factory=dict)
    number: int = 0
    shape: str = 'join'         # for compare.py: rows in any order

    def parallel(self):
        """May workers share it?"""
        return 'parallel_setup_cost' in self.settings

    def outputs(self):
        """No computed columns."""
        return []

    def seen(self):
        """Tables whose columns the target list may name."""
        return {'a'} | {j.name() for j in self.joins if 'JOIN' in j.kind}

    def source(self):
        """FROM and WHERE."""
        text = 'a'
        tests = []
        for j in self.joins:
            if 'JOIN' in j.kind:
                text += f' {j.kind} {j.relation()} ON {j.condition()}'
            elif j.kind == 'IN' and j.keys and not j.extra:
                left, right = j.sides(j.keys[0])
                tests.append(f'{left} IN (SELECT {right} FROM {j.relation()})')
            else:
                word = 'NOT EXISTS' if j.kind == 'NOT EXISTS' else 'EXISTS'
                tests.append(f'{word} (SELECT FROM {j.relation()} WHERE {j.condition()})')
        if self.where:
            tests.append(f'({self.where.sql()})')
        return f'FROM {text}' + (f' WHERE {" AND ".join(tests)}' if tests else '')

    def query(self, params=None):
        """The command itself."""
        seen = self.seen()
        targets = [t for t in self.targets if t.split('.')[0] in seen] or ['a.id']
        columns = ', '.join(targets)
        named = ', '.join(f'{t} AS o{i}' for i, t in enumerate(targets))
        source = self.source()
        key = f'a.k{self.joins[0].keys[0][1]}' if self.joins[0].keys else 'a.id'
        if self.form == 'key order':
            return f'SELECT count(*) FROM (SELECT {named} {source} ORDER BY {key} LIMIT {self.number}) s'
        if self.form == 'key groups':
            return f'SELECT count(*), sum(n), sum(n * n) FROM (SELECT count(*) AS n {source} GROUP BY {key}) s'
        if self.form == 'key distinct':
            return f'SELECT count(*), count(k) FROM (SELECT DISTINCT {key} AS k {source}) s'
        if self.form == 'count':
            return f'SELECT count(*) {source}'
        if self.form == 'aggregate':
            return f'SELECT a.id % 5, count(*), count({targets[-1]}), min({targets[0]}::text COLLATE "C") {source} GROUP BY 1'
        if self.form == 'limit':
            return f'SELECT count(*) FROM (SELECT {named} {source} LIMIT {self.number}) s'
        if self.form == 'ordered':
            return f'SELECT array_agg(s::text COLLATE "C" ORDER BY s::text COLLATE "C") FROM (SELECT {named} {source} ORDER BY a.id) s'
        if self.form == 'rescan':
            return (f'SELECT x, (SELECT count(*) {source}{" AND" if " WHERE " in source else " WHERE"} a.id % 3 = x) '
                    'FROM generate_series(0, 2) x')
        if self.form == 'nested':
            return f'SELECT s.* FROM (SELECT {named} {source} OFFSET 0) s JOIN a ON a.id = s.o0::text::numeric' \
                if targets[0].endswith('.id') else f'SELECT {columns} {source}'
        if self.form == 'union':
            return f'SELECT {columns} {source} UNION ALL SELECT {columns} {source}'
        return f'SELECT {columns} {source}'

    def script(self, explain=None):
        """All commands of one run, whose rows are the answer; or the plan."""
        settings = [f'SET LOCAL {name} = {values.quote(value)}' for name, value in {**EAGER, **self.settings}.items()]
        if explain:
            return settings + [f'EXPLAIN ({explain}) {self.query()}']
        if self.form == 'cursor':
            return settings + [f'DECLARE c CURSOR FOR {self.query()}', 'FETCH 3 FROM c', 'FETCH ALL FROM c']
        return settings + [self.query()]

    def plainer(self):
        """Statements that are one step plainer."""
        def changed(**what):
            new = copy.copy(self)
            for name, value in what.items():
                setattr(new, name, value)
            return new

        if self.form != 'select':
            yield changed(form='select')
        for name in self.settings:
            yield changed(settings={k: v for k, v in self.settings.items() if k != name})
        if self.parallel():
            yield changed(settings={k: v for k, v in self.settings.items() if k not in statements.PARALLEL})
        for i, j in enumerate(self.joins):
            if len(self.joins) > 1:
                yield changed(joins=self.joins[:i] + self.joins[i + 1:])
            smaller = [replace(j, kind='JOIN')] if j.kind not in ('JOIN', 'EXISTS') else []
            smaller += [replace(j, keys=j.keys[:n] + j.keys[n + 1:]) for n in range(len(j.keys)) if len(j.keys) > 1]
            smaller += [replace(j, keys=[(left, slot, None) for left, slot, _ in j.keys])] if any(k[2] for k in j.keys) else []
            if j.extra:
                smaller.append(replace(j, extra=None))
                smaller += [replace(j, extra=extra) for extra in j.extra.reductions()]
            for join in smaller:
                yield changed(joins=self.joins[:i] + [join] + self.joins[i + 1:])
        for i in range(len(self.targets) if len(self.targets) > 1 else 0):
            yield changed(targets=self.targets[:i] + self.targets[i + 1:])
        if self.where:
            yield changed(where=None)
            for smaller in self.where.reductions():
                yield changed(where=smaller)


class Slot:
    """A key column of all tables: its types, and the values they share."""

    def __init__(self, rng, number, collations):
        self.number = number
        self.types = rng.choice(SLOTS)
        self.family = self.types[0].family
        self.pool = [self.types[0].value(rng) for _ in range(rng.choice([1, 3, 8, 30]))]
        self.nulls = rng.choice([0, 0.1, 0.1, 0.5, 1])
        # operators need one collation on both sides
        # PostgreSQL hashes names by their bytes, whatever the collation: under "nondet" the answer depends on its plan
        if any(t.family == 'name' for t in self.types):
            collations = [c for c in collations if c != 'nondet']
        self.collation = rng.choice(collations) if rng.random() < 0.5 and all(t.collatable for t in self.types) else None

    def column(self, rng):
        """As a table has it."""
        c = schema.Column(f'k{self.number}', rng.choice(self.types))
        c.collation = self.collation if c.type.collatable else None
        if c.type.varlena and rng.random() < 0.3:
            c.storage = rng.choice(['main', 'external', 'extended'])
        return c

    def value(self, rng):
        """Mostly one that others have."""
        if rng.random() < self.nulls:
            return None
        return rng.choice(self.pool) if rng.random() < 0.85 else self.types[0].value(rng)


def random_tables(rng, collations):
    """a, b and c; b may be much larger, so that its table takes several passes."""
    slots = [Slot(rng, i, collations) for i in range(1, rng.choice([2, 2, 3, 9]))]
    tables = []
    for name in 'abc':
        keys = [slot.column(rng) for slot in slots]
        others = [c for c in (schema.random_column(rng, i, collations) for i in range(1, rng.randint(1, 5))) if not c.dropped]
        columns = keys + others
        rng.shuffle(columns)
        columns.insert(rng.randint(0, len(columns)), schema.Column('id', values.INT4))
        table = schema.Table(name, columns)
        table.kind = rng.choices(['plain', 'unlogged', 'partitioned', 'inherited'], [80, 5, 8, 7])[0]
        is_large = name == 'b' and rng.random() < 0.35
        for number in range(1, rng.choice([60, 120] if is_large else [0, 1, 2, 20, 60, 120]) + 1):
            row = schema.random_row(rng, others, number)
            row.update({f'k{slot.number}': slot.value(rng) for slot in slots})
            table.rows.append(row)
        table.actions = [a for a in schema.random_actions(rng, name, others) if 'generate_series' not in a]
        # where values are many, so that there are not too many pairs
        if is_large and table.kind == 'plain' and max(len(set(s.pool)) for s in slots) > 5:
            names = ', '.join(c.name for c in table.visible() if c.name != 'id')
            table.actions.append(f'INSERT INTO {name} (id, {names}) SELECT 1000 + n * 100, {names} FROM {name}, generate_series(1, 10) n')
        tables.append(table)
    return tables, slots


def random_keys(rng, slots, lefts):
    """Of one join: mostly one, of any table that is there already."""
    count = min(len(slots), rng.choice([1, 1, 1, 2, 3, 8]))
    keys = []
    for slot in rng.sample(slots, count):
        forms = EXPRESSIONS.get(slot.family, [])
        keys.append((rng.choice(lefts), slot.number, rng.choice(forms) if forms and rng.random() < 0.2 else None))
    return keys


def random_joins(rng, slots, maker):
    """One or two tables, each by keys of its own; and the tables whose columns are seen."""
    joins = []
    lefts = ['a']
    for name in rng.sample(['b', 'c'], rng.choice([1, 1, 2])):
        kind = rng.choice(KINDS)
        join = Join(kind, name, random_keys(rng, slots, lefts))
        if rng.random() < 0.35:
            join.extra = maker(lefts + [name]).where()
        joins.append(join)
        if 'JOIN' in kind:
            lefts.append(name)
    return joins, lefts


def random_chain(rng, slots, maker):
    """Several joins that have one key in common: PostgreSQL may take any side's column for it."""
    slot = rng.choice(slots)
    casts = CASTS.get(slot.family, [])
    joins = []
    lefts = ['a']
    for alias in rng.sample(['b', 'c', 'b2', 'c2'], rng.choice([2, 2, 3, 4])):
        # one that multiplies rows, at most
        kind = rng.choice(CHAIN_KINDS if len(lefts) == 1 else SEMI_KINDS)
        left = 'a' if rng.random() < 0.7 else rng.choice(lefts)
        cast = rng.choice(casts) if casts and rng.random() < 0.5 else None
        join = Join(kind, alias[0], [(left, slot.number, cast)], alias=alias if len(alias) > 1 else '')
        if rng.random() < 0.25:
            join.extra = maker(lefts + [alias]).where()
        joins.append(join)
        if 'JOIN' in kind:
            lefts.append(alias)
    return joins, lefts


def random_statement(rng, tables, slots):
    """A chain of one to four joins."""
    by_name = {t.name: t for t in tables}
    by_name.update({'b2': by_name['b'], 'c2': by_name['c']})
    constants = {}
    for t in tables:
        for family, stock in t.constants().items():
            constants.setdefault(family, []).extend(stock)

    def maker(names):
        return clauses.Generator(rng, [(f'{n}.{c.name}', c) for n in names for c in by_name[n].visible()], constants)

    chain = rng.random() < 0.4
    joins, lefts = (random_chain if chain else random_joins)(rng, slots, maker)
    statement = JoinStatement(joins, maker(lefts).where() if rng.random() < 0.4 else None, [])
    columns = [f'{n}.{c.name}' for n in lefts for c in by_name[n].visible()]
    statement.targets = ['a.id'] + rng.sample(columns, min(len(columns), rng.choice([0, 1, 2, 4, 12])))
    statement.form = rng.choice(CHAIN_SHAPES if chain else SHAPES)
    statement.number = rng.choice([0, 1, 3, 20])
    if chain and rng.random() < 0.7:
        # inner sides of semi joins are not made unique first
        statement.settings.update({'enable_hashagg': 'off', 'enable_sort': 'off'})
    if rng.random() < 0.3:
        statement.settings.update(statements.PARALLEL)
    if rng.random() < 0.2:
        statement.settings['gpustr.debug_hash_bits'] = str(rng.choice([0, 1, 4]))
    if rng.random() < 0.5:
        statement.settings.update({'work_mem': '64kB', 'hash_mem_multiplier': '1'})
    if rng.random() < 0.2:
        statement.settings['gpustr.batch_depth'] = str(rng.choice([1, 8]))
    if rng.random() < 0.2:
        statement.settings['gpustr.enable_scan'] = 'off'
    return statement
