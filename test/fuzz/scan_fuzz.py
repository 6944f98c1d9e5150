#!/usr/bin/python3
"""Differential fuzzing of GpuScan: random tables, random clauses, both ways.

    scan_fuzz.py --dsn 'host=/tmp port=5432' [--seconds 60] [--seed N] [--engine local|device]

The server runs already, with gpustr loaded; the user is a superuser, and schema
fuzz_scan of the database is replaced.  Nothing else should write there.

Round after round: two tables (schema.py), then statements over them
(statements.py, clauses.py), each run with gpustr required and forbidden
(compare.py).  What differs, crashes or hangs is shrunk (shrink.py) and written
to test/fuzz/found, one SQL file each, and the exit status is 1.

A round depends on the seed and its number alone: --round N runs only that one.
The closing line says how many statements ran and how many took a GpuScan; the
rest was refused, for the reasons that --reasons prints.
"""

import argparse
import collections
import os
import random
import re
import sys
import time

import psycopg2

import clauses
import compare
import schema
import shrink
import statements

STATEMENTS_PER_ROUND = 60
SHRINK_SECONDS = 60
FOUND = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'found')


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--dsn', required=True, help='libpq connection string')
    parser.add_argument('--seconds', type=float, default=60, help='how long to make new rounds (default 60)')
    parser.add_argument('--seed', type=int, help='default: any; printed')
    parser.add_argument('--engine', choices=['local', 'device'], default='local', help='gpustr.engine (default local)')
    parser.add_argument('--round', type=int, help='run only this round')
    parser.add_argument('--found', default=FOUND, help='folder for what is found (default test/fuzz/found)')
    parser.add_argument('--stop-after', type=int, default=10, help='how many failures are enough (default 10)')
    parser.add_argument('--reasons', action='store_true', help='print why statements took no GpuScan')
    parser.add_argument('--verbose', action='store_true', help='print each statement')
    return parser.parse_args()


def known_collations(server):
    """What columns may have; 'nondet' is made by the preamble where there is ICU."""
    rows = server.run("SELECT 1 FROM pg_collation WHERE collname = 'en-x-icu' AND "
                      "pg_char_to_encoding(getdatabaseencoding()) IN (collencoding, 6) AND collencoding IN (-1, 6)")
    return ['"C"', '"default"'] + (['"en-x-icu"', 'nondet'] if rows else [])


def make_tables(rng, collations):
    """t, which the clauses are about, and the small u beside it."""
    table = schema.random_table(rng, 't', collations)
    other = schema.random_table(rng, 'u', collations, size=4)
    kind = rng.random()
    if kind < 0.15:
        maker = clauses.Generator(rng, [(c.name, c) for c in table.visible()], table.constants())
        if kind < 0.08:
            table.policy = maker.where()
        else:
            table.barrier = maker.where()
    return table, other


class Fuzzer:
    """Counts, and what was found."""

    def __init__(self, args, server):
        self.args = args
        self.server = server
        self.collations = known_collations(server)
        self.counts = collections.Counter()
        self.reasons = collections.Counter()
        self.invalid = collections.Counter()
        self.found = 0

    def round(self, number):
        """One pair of tables and the statements over it."""
        rng = random.Random(f'{self.args.seed}/{number}')
        table, other = make_tables(rng, self.collations)
        try:
            self.server.build(self.collations, [table, other])
        except psycopg2.Error as error:
            # a value that is too wide for its page, for instance
            self.counts['tables refused'] += 1
            self.invalid['table: ' + error.diag.message_primary] += 1
            return
        self.counts['tables'] += 1
        for _ in range(STATEMENTS_PER_ROUND):
            statement = statements.random_statement(rng, table, other)
            self.check(shrink.Case([table, other], statement, self.collations), number)
            if self.found >= self.args.stop_after:
                return

    def check(self, case, number):
        """One statement."""
        self.counts['statements'] += 1
        if self.args.verbose:
            print(case.statement.query(), flush=True)
        try:
            fast, slow = self.server.both(case.statement)
            why = compare.difference(case.statement, fast, slow)
        except (compare.ServerDied, compare.Hang) as error:
            self.report(case, number, 'the server crashed' if isinstance(error, compare.ServerDied) else 'the server hangs')
            return
        if slow is None:
            self.counts['refused'] += 1
            for reason in fast.detail.removeprefix('Reasons: ').rstrip('.').split('; '):
                self.reasons[re.sub(r'"[^"]*"', '"..."', reason)] += 1
            return
        if fast.sqlstate and fast.sqlstate.startswith('42') and fast.sqlstate != '42P22' and fast[1:3] == slow[1:3]:
            # it never got as far as a plan
            self.counts['invalid'] += 1
            self.invalid['invalid: ' + fast.message] += 1
            return
        self.counts['compared'] += 1
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
        elif why == 'the server hangs':
            self.server.session.close()
            self.server.connect()
        small = shrink.shrink(self.server, case, SHRINK_SECONDS)
        self.server.build(case.collations, small.tables)
        why = shrink.failure(self.server, small) or f'{why} (only once)'
        path = shrink.write(self.args.found, f'{self.args.seed}_{number}_{self.found}.sql', small, why, self.args.seed,
                            self.args.engine)
        print(f'    {why}\n    {ascii(small.statement.query())}\n    written to {path}', flush=True)
        self.server.build(case.collations, case.tables)

    def summary(self, seconds):
        """The closing lines."""
        n = self.counts
        done = max(1, n['statements'])
        if self.args.reasons:
            for title, counter in (('refused', self.reasons), ('errors', self.invalid)):
                for text, count in counter.most_common(40):
                    print(f'    {title} {count:6}  {ascii(text)[:150]}')
        print(f'{n["tables"]} tables ({n["tables refused"]} refused), {n["statements"]} statements '
              f'({n["statements"] / max(seconds, 0.001):.0f}/s), {n["invalid"]} of them invalid, {n["compared"]} with GpuScan ({100 * n["compared"] / done:.0f} %), '
              f'of which {n["errors"]} raised an error; {self.found} failures, engine {self.args.engine}, seed {self.args.seed}')


def main():
    """Rounds until the time is up."""
    args = arguments()
    if args.seed is None:
        args.seed = random.randrange(10 ** 9)
    print(f'seed {args.seed}', flush=True)
    fuzzer = Fuzzer(args, compare.Server(args.dsn, args.engine))
    start = time.monotonic()
    number = args.round or 0
    while True:
        fuzzer.round(number)
        number += 1
        if args.round is not None or fuzzer.found >= args.stop_after or time.monotonic() - start > args.seconds:
            break
    fuzzer.server.run(f'DROP SCHEMA IF EXISTS {schema.SCHEMA} CASCADE')
    fuzzer.summary(time.monotonic() - start)
    if fuzzer.counts['compared'] == 0:
        print('no statement took a GpuScan')
    return 0 if fuzzer.found == 0 and fuzzer.counts['compared'] > 0 else 1


if __name__ == '__main__':
    sys.exit(main())
