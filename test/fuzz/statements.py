"""A random statement around a WHERE clause, and the settings that it runs under.

A Statement is data, so that the shrinker can make it plainer: setting by
setting, and its shape back to a simple SELECT.  script() is the SQL of one run,
whose rows are the answer.
"""

import copy
from dataclasses import dataclass, field
from typing import Optional

import clauses
import outputs
import schema
import values

# What makes the planner take a GpuScan wherever there is one.
EAGER = {'gpustr.device_startup_cost': '0', 'gpustr.device_row_cost': '0', 'gpustr.recheck_cost': '0',
         'enable_seqscan': 'off', 'jit': 'off', 'synchronize_seqscans': 'off', 'statement_timeout': '60s',
         'fuzz.text': 'abc', 'fuzz.number': '7', 'fuzz.visibility': 'public',
         'max_parallel_workers_per_gather': '0'}

PARALLEL = {'max_parallel_workers_per_gather': '2', 'min_parallel_table_scan_size': '0', 'parallel_setup_cost': '0',
            'parallel_tuple_cost': '0'}

SHAPES = ['select'] * 14 + ['cursor', 'scroll', 'limit', 'ordered', 'sub', 'grouped', 'rescan', 'correlated', 'union'] * 2 + [
    'aggregate', 'window', 'distinct', 'join', 'delete', 'update', 'lock', 'exists', 'insert', 'create']

# Shapes that name the columns of the scan in a query around it.
NAMED = ('ordered', 'sub', 'grouped', 'insert', 'create')

# Shapes that do something with the last column.
ABOUT_LAST = ('ordered', 'sub', 'grouped', 'aggregate', 'window', 'distinct')

# Shapes that no prepared statement has.
UNPREPARED = ('cursor', 'scroll', 'insert', 'create')


@dataclass
class Statement:
    """One statement over table t, and for some shapes table u."""
    where: Optional[clauses.Node]
    targets: list               # names of columns, SQL, or Nodes
    shape: str = 'select'
    source: str = 't'           # or the security barrier view
    prepared: bool = False
    generic: bool = False       # a prepared statement's plan
    as_reader: bool = False     # as the role that row security applies to
    settings: dict = field(default_factory=dict)
    number: int = 0             # of LIMIT, FETCH

    def parallel(self):
        """May workers share the scan, so that no order can be expected?"""
        return 'parallel_setup_cost' in self.settings

    def outputs(self):
        """The targets that are expressions."""
        return [] if self.shape == 'exists' else [target for target in self.targets if isinstance(target, clauses.Node)]

    def target(self, target, params):
        """One target as SQL."""
        if isinstance(target, clauses.Node):
            return target.sql(params)
        return f't.{target}' if target.isidentifier() else target

    def query(self, params=None):
        """The command itself."""
        condition = self.where and self.where.sql(params)
        where = f' WHERE {condition}' if condition else ''
        wanted = [self.target(target, params) for target in self.targets]
        if self.shape in NAMED:
            wanted = [f'{target} AS o{i}' for i, target in enumerate(wanted)]
        targets = ', '.join(wanted)
        last = f'o{len(wanted) - 1}'
        source = f'{self.source} AS t'
        scan = f'SELECT {targets} FROM {source}{where}'
        if self.shape == 'rescan':
            return f'SELECT u.id, s.* FROM u LEFT JOIN LATERAL ({scan} OFFSET 0) s ON true'
        if self.shape == 'correlated':
            if self.outputs():
                return (f'SELECT u.id, (SELECT sum(hashtext(x::text)::int8) FROM (SELECT {wanted[-1]} AS x FROM {source}{where} '
                        'OFFSET 0) s) FROM u')
            return f'SELECT u.id, (SELECT count(*) FROM {source}{where}) FROM u'
        if self.shape == 'exists':
            return f'SELECT u.id FROM u WHERE EXISTS (SELECT FROM {source}{where} OFFSET 0)'
        if self.shape == 'join':
            return f'SELECT u.id, {targets} FROM u JOIN {source} ON u.id = t.id{where}'
        if self.shape == 'delete':
            return f'DELETE FROM {source}{where} RETURNING {targets}'
        if self.shape == 'update':
            return f'UPDATE {source} SET id = id + 1000{where} RETURNING {targets}'
        if self.shape == 'ordered':
            ordered = f'{scan} ORDER BY {last if self.outputs() else "id"}{" DESC" if self.number else ""}'
            # the order counts where there is one
            return ordered if self.parallel() else f'SELECT row_number() OVER (), s.* FROM ({ordered} OFFSET 0) s'
        if self.shape == 'sub':
            return f'SELECT s.*, upper(s.{last}::text) FROM ({scan} OFFSET 0) s WHERE s.{last} IS NOT NULL'
        if self.shape == 'aggregate':
            # with and without groups: by the same expression, by a column, by nothing
            group = ['', ' GROUP BY t.id', f' GROUP BY {wanted[-1]} HAVING count(*) < 20'][self.number % 3]
            return f'SELECT count({wanted[-1]}), sum(hashtext(({wanted[-1]})::text)::int8) FROM {source}{where}{group}'
        if self.shape == 'window':
            return f'SELECT {targets}, count({wanted[-1]}) OVER (PARTITION BY t.id % 3) FROM {source}{where}'
        if self.shape == 'distinct':
            return f'SELECT DISTINCT ({wanted[-1]})::text COLLATE "C" FROM {source}{where}'
        if self.shape == 'grouped':
            return f'SELECT s.{last}::text COLLATE "C", count(*) FROM ({scan} OFFSET 0) s GROUP BY 1'
        if self.shape == 'limit':
            scan += f' LIMIT {self.number}'
        if self.shape == 'lock':
            scan += ' FOR UPDATE'
        if self.shape == 'union':
            scan += f' UNION ALL SELECT {targets} FROM {source}'
            scan += f' WHERE NOT ({condition})' if condition else ''
        return scan

    def commands(self):
        """What comes before the command that has the plan, that command, and what comes after."""
        if self.prepared:
            params = []
            query = self.query(params)
            types = ', '.join(p.type.base for p in params)
            arguments = ', '.join(p.type.literal(p.value) for p in params)
            return ([f'SET LOCAL plan_cache_mode = force_{"generic" if self.generic else "custom"}_plan', 'DEALLOCATE ALL',
                     f'PREPARE q{f"({types})" if types else ""} AS {query}'],
                    f'EXECUTE q{f"({arguments})" if arguments else ""}', [])
        query = self.query()
        if self.shape == 'cursor':
            return [], f'DECLARE c CURSOR FOR {query}', [f'MOVE {self.number} FROM c', 'FETCH ALL FROM c']
        if self.shape == 'scroll':
            moves = [f'FETCH {self.number} FROM c', f'FETCH BACKWARD {(self.number + 1) // 2} FROM c', 'FETCH ALL FROM c',
                     f'FETCH BACKWARD {"ALL" if self.generic else self.number} FROM c', 'FETCH ALL FROM c']
            return [], f'DECLARE c SCROLL CURSOR FOR {query}', moves
        if self.shape == 'create':
            return [], f'CREATE TEMP TABLE made AS {query}', ['SET LOCAL gpustr.debug_require = allow', 'SELECT * FROM made']
        if self.shape == 'insert':
            return [f'CREATE TEMP TABLE made AS {query} WITH NO DATA'], f'INSERT INTO made {query} RETURNING *', []
        return [], query, []

    def script(self, explain=None):
        """All commands of one run, whose rows are the answer; or those that lead to the plan, by these options of EXPLAIN."""
        before, main, after = self.commands()
        settings = [f'SET LOCAL {name} = {values.quote(value)}' for name, value in {**EAGER, **self.settings}.items()]
        if self.as_reader:
            settings.append(f'SET LOCAL ROLE {schema.READER}')
        if explain:
            return settings + before + [f'EXPLAIN ({explain}) {main}']
        return settings + before + [main] + after

    def plainer(self):
        """Statements that are one step plainer."""
        def changed(**what):
            new = copy.copy(self)
            for name, value in what.items():
                setattr(new, name, value)
            return new

        if self.prepared:
            yield changed(prepared=False)
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
                for i in range(len(self.targets)):
                    yield changed(targets=self.targets[:i] + self.targets[i + 1:])
            for i, target in enumerate(self.targets):
                if isinstance(target, clauses.Node):
                    for smaller in target.reductions():
                        yield changed(targets=self.targets[:i] + [smaller] + self.targets[i + 1:])
        if self.where:
            yield changed(where=None)
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
    prepared = shape not in UNPREPARED and rng.random() < 0.25
    maker = clauses.Generator(rng, columns, constants, params=0.7 if prepared else 0)
    statement = Statement(maker.where(), random_targets(rng, table), shape, prepared=prepared)
    if rng.random() < (0.8 if shape in NAMED + ABOUT_LAST else 0.4):
        add_outputs(rng, statement, maker)
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


def add_outputs(rng, statement, maker):
    """Computed columns among the targets, and now and then no WHERE clause."""
    output = outputs.Output(maker)
    made = [output.expression() for _ in range(rng.choice([1, 1, 1, 2, 3]))]
    if len(made) > 1 and rng.random() < 0.15:
        made.append(made[0])
    if rng.random() < 0.1:
        # the whole row
        made.insert(0, clauses.Node('any', 't::text'))
    # the last one is what is sorted and grouped by
    statement.targets = made if rng.random() < 0.3 else statement.targets[:rng.randint(1, 4)] + made
    if rng.random() < 0.12:
        statement.where = None


def random_targets(rng, table):
    """What to select: some columns, system columns, or a constant."""
    kind = rng.random()
    names = [c.name for c in table.visible()]
    if kind < 0.1:
        return ['ctid', 'tableoid']
    if kind < 0.15:
        return ["'one'"]
    return ['id'] + rng.sample(names, min(len(names), rng.choice([0, 1, 1, 2, 12])))
