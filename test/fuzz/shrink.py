"""Make what differs small, and write it down.

shrink() takes away whatever can go while the failure stays: first what the
statement can do without, then halves of the rows, then single rows, actions,
columns and their properties, until nothing more can go or the time is up.
A candidate that SQL refuses has not failed.

write() makes one SQL file that shows the failure with psql alone.
"""

import copy
import os
import time

import compare
import libpq
import schema


class Case:
    """Tables and a statement over them."""

    def __init__(self, tables, statement, collations):
        self.tables = tables
        self.statement = statement
        self.collations = collations


def answers(server, case, build):
    """What Server.both() says.  Where the connection breaks, once more: it may be another job's statement that crashed."""
    try:
        if build:
            server.build(case.collations, case.tables)
        return server.both(case.statement)
    except libpq.Broken:
        server.lost += 1
        print(f'the connection broke in {ascii(case.statement.query())}', flush=True)
        server.connect()
        server.build(case.collations, case.tables)
        return server.both(case.statement)


def in_words(error):
    """A failure that is no answer."""
    return 'the server hangs' if isinstance(error, libpq.Hang) else 'the server crashed'


def failure(server, case, build=True):
    """How the case fails; None if it does not, or is no valid SQL."""
    try:
        fast, slow, _ = answers(server, case, build)
        return compare.difference(case.statement, fast, slow)
    except libpq.Error:
        return None
    except (libpq.Broken, libpq.Hang) as error:
        server.connect()
        return in_words(error)


def shrink(server, case, seconds):
    """A smaller case that fails, too."""
    end = time.monotonic() + seconds
    progress = failure(server, case) is not None
    while progress:
        progress = False
        # a crash takes the unlogged tables along, so build after each
        for candidates, build in ((statement_candidates, False), (table_candidates, True)):
            smaller = True
            while smaller and time.monotonic() < end:
                smaller = None
                if not build:
                    server.build(case.collations, case.tables)
                for candidate in candidates(case):
                    if time.monotonic() > end:
                        break
                    if failure(server, candidate, build):
                        case = smaller = candidate
                        progress = True
                        break
    return case


def statement_candidates(case):
    """The same tables, a plainer statement."""
    for statement in case.statement.plainer():
        yield Case(case.tables, statement, case.collations)


def table_candidates(case):
    """The same statement, smaller tables."""
    if len(case.tables) > 1:
        for i in range(len(case.tables)):
            yield Case(case.tables[:i] + case.tables[i + 1:], case.statement, case.collations)
    for i, table in enumerate(case.tables):
        for smaller in smaller_tables(table):
            yield Case(case.tables[:i] + [smaller] + case.tables[i + 1:], case.statement, case.collations)


def smaller_tables(table):
    """The table with something less."""
    def changed(**what):
        new = copy.copy(table)
        for name, value in what.items():
            setattr(new, name, value)
        return new

    step = len(table.rows) // 2
    while step > 0:
        for i in range(0, len(table.rows), step):
            yield changed(rows=table.rows[:i] + table.rows[i + step:])
        step //= 2
    if table.rows:
        yield changed(rows=[])
    for rows in smaller_rows(table):
        yield changed(rows=rows)
    for i in range(len(table.actions)):
        yield changed(actions=table.actions[:i] + table.actions[i + 1:])
    for name in ('policy', 'barrier'):
        if getattr(table, name):
            yield changed(**{name: None})
            for smaller in getattr(table, name).reductions():
                yield changed(**{name: smaller})
    if table.kind != 'plain':
        yield changed(kind='plain')
    if table.options:
        yield changed(options={})
    for i, column in enumerate(table.columns):
        yield changed(columns=table.columns[:i] + table.columns[i + 1:])
        for name, plain in vars(schema.Column('', None)).items():
            if name not in ('name', 'type') and getattr(column, name) != plain:
                simpler = copy.copy(column)
                setattr(simpler, name, plain)
                yield changed(columns=table.columns[:i] + [simpler] + table.columns[i + 1:])


def smaller_rows(table):
    """A row with a shorter value, where few rows are left."""
    families = {c.name: c.type.family for c in table.columns if c.type.family in ('text', 'bpchar', 'name', 'bytea')}
    for i, row in enumerate(table.rows if len(table.rows) <= 4 else []):
        for name, value in row.items():
            if value and name in families:
                start = 2 if families[name] == 'bytea' else 0
                for cut in {(len(value) - start) // 2, 2 if start else 1} - {0}:
                    for shorter in (value[:len(value) - cut], value[:start] + value[start + cut:]):
                        yield table.rows[:i] + [{**row, name: shorter}] + table.rows[i + 1:]


def write(server, path, case, why):
    """The case as an SQL file for psql; its path."""
    commands = ';\n'.join(case.statement.script())
    lines = ['-- ' + line for line in why.splitlines()]
    # the bytes as they are
    lines += ['\\encoding SQL_ASCII']
    lines += [s + ';' for s in schema.preamble(case.collations)]
    lines += [s + ';' for t in case.tables for s in t.statements()]
    lines += [f'SET gpustr.engine = {server.engine};', 'BEGIN;', 'SAVEPOINT s;', f'SET LOCAL gpustr.debug_require = {server.require};',
              commands + ';', 'ROLLBACK TO s;', 'SET LOCAL gpustr.enabled = off;', 'SET LOCAL gpustr.debug_require = forbid;',
              commands + ';', 'ROLLBACK;', f'DROP SCHEMA {schema.SCHEMA} CASCADE;', '']
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as file:
        file.write(server.encode('\n'.join(lines)))
    return path
