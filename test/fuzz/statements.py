"""A random statement around a WHERE clause, and the settings that it runs under.

A Statement is data, so that the shrinker can make it plainer: setting by
setting, and its shape back to a simple SELECT.  script() is the SQL of one run,
up to and including the command whose rows count.
"""

import copy
from dataclasses import dataclass, field

import clauses
import schema
import values

# What makes the planner take a GpuScan wherever there is one.
EAGER = {'gpustr.device_startup_cost': '0', 'gpustr.device_row_cost': '0', 'gpustr.recheck_cost': '0',
         'enable_seqscan': 'off', 'jit': 'off', 'synchronize_seqscans': 'off', 'statement_timeout': '60s',
         'fuzz.text': 'abc', 'fuzz.number': '7', 'max_parallel_workers_per_gather': '0'}

PARALLEL = {'max_parallel_workers_per_gather': '2', 'min_parallel_table_scan_size': '0', 'parallel_setup_cost': '0',
            'parallel_tuple_cost': '0'}

SHAPES = ['select'] * 10 + ['prepared'] * 4 + ['cursor', 'limit', 'rescan', 'correlated', 'join', 'delete', 'update',
                                               'lock', 'union', 'exists']


@dataclass
class Statement:
    """One statement over table t, and for some shapes table u."""
    where: clauses.Node
    targets: list
    shape: str = 'select'
    source: str = 't'           # or the security barrier view
    generic: bool = False       # a prepared statement's plan
    as_reader: bool = False     # as the role that row security applies to
    settings: dict = field(default_factory=dict)
    number: int = 0             # of LIMIT, FETCH

    def parallel(self):
        """May workers share the scan, so that no order can be expected?"""
        return 'parallel_setup_cost' in self.settings

    def query(self, params=None):
        """The command itself."""
        where = self.where.sql(params)
        targets = ', '.join(f't.{c}' if c.isidentifier() else c for c in self.targets)
        source = f'{self.source} AS t'
        if self.shape == 'rescan':
            return f'SELECT u.id, s.* FROM u LEFT JOIN LATERAL (SELECT {targets} FROM {source} WHERE {where} OFFSET 0) s ON true'
        if self.shape == 'correlated':
            return f'SELECT u.id, (SELECT count(*) FROM {source} WHERE {where}) FROM u'
        if self.shape == 'exists':
            return f'SELECT u.id FROM u WHERE EXISTS (SELECT FROM {source} WHERE {where} OFFSET 0)'
        if self.shape == 'join':
            return f'SELECT u.id, {targets} FROM u JOIN {source} ON u.id = t.id WHERE {where}'
        if self.shape == 'delete':
            return f'DELETE FROM {source} WHERE {where} RETURNING {targets}'
        if self.shape == 'update':
            return f'UPDATE {source} SET id = id + 1000 WHERE {where} RETURNING {targets}'
        query = f'SELECT {targets} FROM {source} WHERE {where}'
        if self.shape == 'limit':
            query += f' LIMIT {self.number}'
        if self.shape == 'lock':
            query += ' FOR UPDATE'
        if self.shape == 'union':
            query += f' UNION ALL SELECT {targets} FROM {source} WHERE NOT ({where})'
        return query

    def script(self):
        """All commands of one run; the last one's rows are the answer."""
        commands = [f'SET LOCAL {name} = {values.quote(value)}' for name, value in {**EAGER, **self.settings}.items()]
        if self.as_reader:
            commands.append(f'SET LOCAL ROLE {schema.READER}')
        if self.shape == 'prepared':
            params = []
            query = self.query(params)
            types = ', '.join(p.type.base for p in params)
            arguments = ', '.join(p.type.literal(p.value) for p in params)
            commands.append(f'SET LOCAL plan_cache_mode = force_{"generic" if self.generic else "custom"}_plan')
            commands.append('DEALLOCATE ALL')
            commands.append(f'PREPARE q{f"({types})" if types else ""} AS {query}')
            commands.append(f'EXECUTE q{f"({arguments})" if arguments else ""}')
        elif self.shape == 'cursor':
            commands.append(f'DECLARE c CURSOR FOR {self.query()}')
            commands.append(f'MOVE {self.number} FROM c')
            commands.append('FETCH ALL FROM c')
        else:
            commands.append(self.query())
        return commands

    def plainer(self):
        """Statements that are one step plainer."""
        def changed(**what):
            new = copy.copy(self)
            for name, value in what.items():
                setattr(new, name, value)
            return new

        if self.shape != 'select':
            yield changed(shape='select')
        if self.source != 't':
            yield changed(source='t')
        if self.as_reader:
            yield changed(as_reader=False)
        for name in self.settings:
            yield changed(settings={k: v for k, v in self.settings.items() if k != name})
        if self.parallel():
            yield changed(settings={k: v for k, v in self.settings.items() if k not in PARALLEL})
        if self.targets != ['id']:
            yield changed(targets=['id'])
            if len(self.targets) > 1:
                for target in self.targets:
                    yield changed(targets=[target])
        for smaller in self.where.reductions():
            yield changed(where=smaller)


def random_statement(rng, table, other):
    """A statement over 'table'; 'other' is u."""
    shape = rng.choice(SHAPES)
    columns = [(f't.{c.name}', c) for c in table.visible()]
    constants = table.constants()
    if shape in ('rescan', 'correlated', 'join', 'exists'):
        # twice, so that half of the columns are those of the scanned table
        columns = columns * 2 + [(f'u.{c.name}', c) for c in other.visible()]
    maker = clauses.Generator(rng, columns, constants, params=0.7 if shape == 'prepared' else 0)
    statement = Statement(maker.where(), random_targets(rng, table), shape)
    statement.number = rng.choice([0, 1, 3, 20])
    statement.generic = rng.random() < 0.6
    if table.barrier and rng.random() < 0.5:
        statement.source = f'{table.name}_view'
        statement.targets = [c for c in statement.targets if c not in ('ctid', 'tableoid')] or ['id']
    if shape == 'update':
        # where the new row goes depends on what was there before
        statement.targets = [c for c in statement.targets if c != 'ctid'] or ['id']
    if table.policy:
        statement.as_reader = rng.random() < 0.8
    if rng.random() < 0.25:
        statement.settings.update(PARALLEL)
    if rng.random() < 0.3:
        statement.settings['gpustr.batch_depth'] = str(rng.choice([1, 2, 8]))
    if rng.random() < 0.3:
        statement.settings['TimeZone'] = rng.choice(['Europe/Istanbul', 'America/New_York', 'Asia/Kolkata'])
    if shape == 'join' or rng.random() < 0.2:
        for name in rng.sample(['enable_hashjoin', 'enable_mergejoin', 'enable_nestloop', 'enable_material'], 2):
            statement.settings[name] = 'off'
    return statement


def random_targets(rng, table):
    """What to select: some columns, system columns, or an aggregate."""
    kind = rng.random()
    names = [c.name for c in table.visible()]
    if kind < 0.1:
        return ['ctid', 'tableoid']
    if kind < 0.15:
        return ["'one'"]
    return ['id'] + rng.sample(names, min(len(names), rng.choice([0, 1, 1, 2, 12])))
