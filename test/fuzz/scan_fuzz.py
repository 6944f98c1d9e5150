#!/usr/bin/python3
"""Differential fuzzing of GpuScan: random tables, random clauses, both ways.

    scan_fuzz.py --dsn 'host=/tmp port=5432' [--seconds 60] [--seed N] [--engine local|device] [--jobs N]

The server runs already, with gpustr loaded; the user is a superuser, and schema
fuzz_scan of the database is replaced.  Nothing else should write there.  With
--jobs there are so many processes, each in a database of its own (jobs.py).

Round after round: two tables (schema.py), then statements over them
(statements.py, clauses.py, outputs.py), each run with gpustr required and
forbidden (compare.py).  What differs, crashes or hangs is shrunk (shrink.py) and written
to test/fuzz/found, one SQL file each, and the exit status is 1.

A round depends on the seed and its number alone: --round N runs only that one.
The closing line says how many statements ran, how many took a GpuScan (the
rest was refused, for the reasons that --reasons prints), and how many of those
with a GPU function in their SELECT list had a GPU Output.  A run in which none
took a GpuScan has failed; with --need-output also one without a GPU Output.
"""

import argparse
import collections
import json
import os
import random
import re
import sys
import time

import clauses
import compare
import jobs
import libpq
import schema
import shrink
import statements

STATEMENTS_PER_ROUND = 60
SHRINK_SECONDS = 60
FOUND = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'found')


def arguments(title):
    """The command line."""
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument('--dsn', required=True, help='libpq connection string')
    parser.add_argument('--seconds', type=float, default=60, help='how long to make new rounds (default 60)')
    parser.add_argument('--seed', type=int, help='default: any; printed')
    parser.add_argument('--engine', choices=['local', 'device'], default='local', help='gpustr.engine (default local)')
    parser.add_argument('--jobs', type=int, help='so many processes beside each other')
    parser.add_argument('--round', type=int, help='run only this round')
    parser.add_argument('--found', default=FOUND, help='folder for what is found (default test/fuzz/found)')
    parser.add_argument('--stop-after', type=int, default=10, help='how many failures are enough (default 10)')
    parser.add_argument('--reasons', action='store_true', help='print why statements took no GpuScan')
    parser.add_argument('--need-output', action='store_true', help='fail if no statement had a GPU Output')
    parser.add_argument('--counters', action='store_true', help='print the counters as the last line')
    parser.add_argument('--verbose', action='store_true', help='print each statement')
    return parser.parse_args()


class Fuzzer:
    """Counts, and what was found.  Others that make other statements are made from it (text_fuzz.py)."""

    title = __doc__.splitlines()[0]
    program = 'scan_fuzz.py'
    server_class = compare.Server

    def __init__(self, args):
        self.args = args
        self.server = self.server_class(args.dsn, args.engine)
        self.collations = self.known_collations()
        self.counts = collections.Counter()
        self.reasons = collections.Counter()
        self.invalid = collections.Counter()
        self.found = 0
        # what is found late is shrunk less, and the round is not finished
        self.end = time.monotonic() + args.seconds + SHRINK_SECONDS

    def known_collations(self):
        """What columns may have; 'nondet' is made by the preamble where there is ICU."""
        rows = self.server.run("SELECT 1 FROM pg_collation WHERE collname = 'en-x-icu' AND "
                               "pg_char_to_encoding(getdatabaseencoding()) IN (collencoding, 6) AND collencoding IN (-1, 6)")
        return ['"C"', '"default"'] + (['"en-x-icu"', 'nondet'] if rows else [])

    def tables(self, rng):
        """t, which the clauses are about, and the small u beside it."""
        table = schema.random_table(rng, 't', self.collations)
        other = schema.random_table(rng, 'u', self.collations, size=4)
        kind = rng.random()
        if kind < 0.15:
            maker = clauses.Generator(rng, [(c.name, c) for c in table.visible()], table.constants())
            if kind < 0.08:
                table.policy = maker.where()
            else:
                table.barrier = maker.where()
        return table, other

    def tables_of(self, made):
        """The tables of what tables() made."""
        return list(made)

    def statement(self, rng, table, other):
        """A statement over them."""
        return statements.random_statement(rng, table, other)

    def prove(self):
        """What is to be looked at before the first round: nothing here."""

    def look_at(self, case, plan):
        """Count what the plan of a statement that was compared has."""
        if case.statement.outputs():
            self.counts['functions'] += 'gpustr.' in case.statement.query()
            self.counts['outputs'] += 'GPU Output' in plan

    def in_words(self, counts):
        """Counters in a line."""
        n = counts
        return (f'{n["tables"]} tables ({n["tables refused"]} refused), {n["statements"]} statements '
                f'({n["statements"] / max(self.args.seconds, 0.001):.0f}/s), {n["invalid"]} of them invalid, {n["compared"]} compared with '
                f'GpuScan ({100 * n["compared"] / max(1, n["statements"]):.0f} %), of which {n["errors"]} raised an error, and '
                f'{n["functions"]} had a GPU function in the SELECT list, {n["outputs"]} a GPU Output; '
                f'{n["failures"]} failures, engine {self.args.engine}, seed {self.args.seed}')

    def proves_nothing(self, counts):
        """Why the run shows nothing; None if it does."""
        if counts['compared'] == 0:
            return 'no statement took a GpuScan'
        if self.args.need_output and counts['outputs'] == 0:
            return 'no statement had a GPU Output'
        return None

    def round(self, number):
        """Tables and the statements over them."""
        rng = random.Random(f'{self.args.seed}/{number}')
        made = self.tables(rng)
        tables = self.tables_of(made)
        try:
            self.server.build(self.collations, tables)
        except libpq.Error as error:
            # a value that is too wide for its page, for instance
            self.counts['tables refused'] += 1
            self.invalid['table: ' + error.message] += 1
            return
        self.counts['tables'] += 1
        for _ in range(STATEMENTS_PER_ROUND):
            statement = self.statement(rng, *made)
            self.check(shrink.Case(tables, statement, self.collations), number)
            if self.enough():
                return

    def enough(self):
        """Is it no use to go on?"""
        return self.found >= self.args.stop_after or (self.found > 0 and time.monotonic() > self.end)

    def check(self, case, number):
        """One statement."""
        self.counts['statements'] += 1
        if self.args.verbose:
            print(case.statement.query(), flush=True)
        try:
            fast, slow, plan = shrink.answers(self.server, case, False)
            why = compare.difference(case.statement, fast, slow)
        except (libpq.Broken, libpq.Hang) as error:
            self.report(case, number, shrink.in_words(error))
            return
        if slow is None:
            self.counts['refused'] += 1
            for reason in fast.detail[len('Reasons: '):].rstrip('.').split('; '):
                self.reasons[re.sub(r'"[^"]*"', '"..."', reason)] += 1
            return
        if fast.sqlstate and fast.sqlstate.startswith('42') and fast.sqlstate != '42P22' and fast[1:3] == slow[1:3]:
            # it never got as far as a plan
            self.counts['invalid'] += 1
            self.invalid['invalid: ' + fast.message] += 1
            return
        self.counts['compared'] += 1
        self.look_at(case, plan)
        if fast.sqlstate:
            self.counts['errors'] += 1
            self.invalid[fast.message] += 1
        if why:
            self.report(case, number, why)

    def report(self, case, number, why):
        """Print what failed, shrink it, write it down."""
        self.found += 1
        print(f'FAILED, round {number} (--round {number} --seed {self.args.seed}): {why}\n'
              f'    {ascii(case.statement.query())}\n    shrinking ...', flush=True)
        if self.server.session.closed:
            self.server.connect()
        small = shrink.shrink(self.server, case, max(5, min(SHRINK_SECONDS, self.end - time.monotonic())))
        self.server.build(case.collations, small.tables)
        why = shrink.failure(self.server, small) or f'{why} (only once)'
        path = shrink.write(self.server, os.path.join(self.args.found, f'{self.args.seed}_{number}_{self.found}.sql'), small,
                            f'{why}\nfound by test/fuzz/{self.program} --seed {self.args.seed} --round {number}')
        print(f'    {why}\n    {ascii(small.statement.query())}\n    written to {path}', flush=True)
        self.server.build(case.collations, case.tables)

    def summary(self):
        """The closing lines."""
        if self.args.reasons:
            for title, counter in (('refused', self.reasons), ('errors', self.invalid)):
                for text, count in counter.most_common(40):
                    print(f'    {title} {count:6}  {ascii(text)[:150]}')
        self.counts['failures'] = self.found
        print(self.in_words(self.counts))


def fuzz(fuzzer):
    """Rounds until the time is up; the counters."""
    args = fuzzer.args
    start = time.monotonic()
    fuzzer.prove()
    number = args.round or 0
    while True:
        fuzzer.round(number)
        number += 1
        if args.round is not None or fuzzer.enough() or time.monotonic() - start > args.seconds:
            break
    fuzzer.server.run(f'DROP SCHEMA IF EXISTS {schema.SCHEMA} CASCADE')
    fuzzer.summary()
    fuzzer.counts['lost'] = fuzzer.server.lost
    return fuzzer.counts


def main(fuzzer_class=Fuzzer):
    """All of it; the exit status."""
    args = arguments(fuzzer_class.title)
    if args.seed is None:
        args.seed = random.randrange(10 ** 9)
    print(f'seed {args.seed}', flush=True)
    fuzzer = fuzzer_class(args)
    if args.jobs:
        counts, well = jobs.run(args, fuzzer.program)
        print(f'all {args.jobs} jobs: {fuzzer.in_words(counts)}')
    else:
        counts = fuzz(fuzzer)
        well = counts['failures'] == 0 and counts['lost'] == 0
    if counts['lost']:
        print(f'the connection broke {counts["lost"]} times: see the server\'s log')
    why = fuzzer.proves_nothing(counts)
    if why:
        print(why)
    if args.counters:
        print(jobs.COUNTERS + json.dumps(counts))
    return 0 if well and not why else 1


if __name__ == '__main__':
    sys.exit(main())
