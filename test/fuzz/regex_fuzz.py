#!/usr/bin/python3
"""Differential fuzzing of regular expressions: ~, ~*, SIMILAR TO, regexp_like, and
groups of these and of LIKE, functions that look for them, in clauses and in SELECT lists.

    regex_fuzz.py --dsn 'host=/tmp port=5432' [--seconds 60] [--seed N] [--engine local|device]

The server runs already, with gpustr loaded; table fuzz_regex of the user's schema
is replaced.  Round after round: a table of random texts, then random expressions
(regexes.py), each tested against all of them with gpustr required and with it off.
Expressions that are refused are counted, and errors must be the same.

What differs is printed as SQL, and the exit status is 1.  So it is if almost all
expressions were refused: that tests nothing.
"""

import argparse
import random
import re
import sys
import time

import libpq
import regexes
import values

TEXTS = 250
EXPRESSIONS_PER_ROUND = 80
SIZES = ['256kB', '256kB', '256kB', '2MB', '64kB', '16kB', '4kB']
HANG_SECONDS = 90
MOST_SLOW = 0.01                # share of statements that time out, at most
REFUSED = 'could not run this query with gpustr'
TIMED_OUT = 'canceling statement due to statement timeout'


def clause(rng, column):
    """A random test of the column."""
    kind = rng.random()
    if kind < 0.08:
        return f'{column} {rng.choice(["", "NOT "])}SIMILAR TO {values.quote(regexes.similar(rng))}'
    pattern = values.quote(regexes.regex(rng))
    if kind < 0.18:
        return f'regexp_like({column}, {pattern}, {values.quote(rng.choice(regexes.FLAGS))})'
    return f"{column} {rng.choice(['~', '~', '~', '~*', '~*', '!~', '!~*'])} {pattern}"


def group(rng, column):
    """Several tests of the column that may be one automaton."""
    tests = []
    for _ in range(rng.choice([2, 2, 3, 4, 6])):
        if rng.random() < 0.4:
            operator = rng.choice(['LIKE', 'LIKE', 'NOT LIKE', 'ILIKE', 'NOT ILIKE'])
            tests.append(f'{column} {operator} {values.quote(regexes.like(rng))}')
        elif rng.random() < 0.1:
            listed = ', '.join(values.quote(regexes.regex(rng)) for _ in range(3))
            tests.append(f"{column} {rng.choice(['~', '!~', '~*'])} {rng.choice(['ANY', 'ALL'])} (ARRAY[{listed}])")
        else:
            tests.append(clause(rng, column))
    return regexes.join(rng, tests)


def flags(rng, replaces):
    """Flags, mostly valid."""
    return values.quote(rng.choice(regexes.FLAGS) + (rng.choice(['g', '']) if replaces or rng.random() < 0.03 else ''))


def number(rng):
    """A start, an N: mostly valid."""
    return rng.choice([1, 1, 1, 2, 3, 5, 9, 40, 0, -1] if rng.random() < 0.2 else [1, 1, 2, 3, 7, 30])


def found_text(rng, column):
    """A random call that makes a text."""
    pattern = values.quote(regexes.regex(rng))
    replacement = rng.choice(["''", "'#'", r"'<\\1\\&>'", r"'[\&]'", r"'é\\\&\x\&\'", r"'\1'", "p", "upper(p)", r"'\' || p", "NULL"])
    return rng.choice([
        f'regexp_replace({column}, {pattern}, {replacement})',
        f'regexp_replace({column}, {pattern}, {replacement}, {flags(rng, True)})',
        f'regexp_replace({column}, {pattern}, {replacement}, {number(rng)}, {rng.choice([0, 1, 2, number(rng)])})',
        f'regexp_replace({column}, {pattern}, {replacement}, {number(rng)}, {rng.choice([0, 1])}, {flags(rng, True)})',
        f'gpustr.redact_pattern({column}, {pattern}, {replacement})',
        f'regexp_substr({column}, {pattern})',
        f'regexp_substr({column}, {pattern}, {number(rng)}, {number(rng)}, {flags(rng, False)}, {rng.choice([0, 0, 1, 2, -1])})',
        f'substring({column} from {pattern})',
        f'(regexp_match({column}, {pattern}, {flags(rng, False)}))[{rng.choice([1, 1, 2, 0])}]',
        f'lower(coalesce(substring({column} from {pattern}), {column}))'])


def found_truth(rng, column):
    """A random clause with such a call."""
    pattern = values.quote(regexes.regex(rng))
    return rng.choice([
        f'regexp_count({column}, {pattern}) {rng.choice(["=", ">", "<="])} {rng.choice([0, 1, 2, 3, 4, 5, 8])}',
        f'regexp_count({column}, {pattern}, {number(rng)}, {flags(rng, False)}) > 1',
        f'regexp_instr({column}, {pattern}) {rng.choice(["=", ">"])} {rng.choice([0, 1, 2, 3, 5])}',
        f'regexp_instr({column}, {pattern}, 1, {rng.choice([1, 2, 3])}, 1) = {rng.choice([2, 3, 4, 5, 6])}',
        f'regexp_instr({column}, {pattern}, {number(rng)}, {number(rng)}, {rng.choice([0, 1, 1, 2])}, {flags(rng, False)}) IS NULL',
        f'regexp_match({column}, {pattern}) IS {rng.choice(["", "NOT "])}NULL',
        f'regexp_match({column}, {pattern}, {flags(rng, False)}) IS {rng.choice(["", "NOT "])}NULL',
        f'{found_text(rng, column)} IS {rng.choice(["", "NOT "])}NULL',
        f'{found_text(rng, column)} = {column}'])


class Fuzzer:
    """A session and what has been counted."""

    def __init__(self, args):
        self.session = libpq.Session(args.dsn, HANG_SECONDS)
        self.found = args.found
        self.codec = 'utf-8'
        self.codec = 'utf-8' if self.run('SHOW server_encoding') == [(b'UTF8',)] else 'latin-1'
        # the server gets and sends bytes as they are
        self.run('SET client_encoding = SQL_ASCII')
        self.run(f'SET gpustr.engine = {args.engine}')
        self.run('SET client_min_messages = error')
        self.run("SET statement_timeout = '30s'")
        self.collations = ['"C"', '"default"']
        if self.codec == 'utf-8':
            self.collations += ['"en-x-icu"', '"tr-x-icu"']
        self.tested = self.refused = self.errors = self.comparisons = self.different = self.slow = 0

    def run(self, sql):
        """Run commands; their rows."""
        return self.session.run(sql.encode(self.codec))

    def encodable(self, text):
        """With other characters in place of those that the encoding has not."""
        if self.codec == 'utf-8':
            return text
        return re.sub('[^\x00-\xff]', lambda m: chr(160 + ord(m.group()) % 96), text)

    def answer(self, sql):
        """Rows, or an error's message."""
        try:
            return self.run(sql)
        except libpq.Error as error:
            return error.message

    def make_table(self, rng):
        """Texts, each twice: as text and padded."""
        rows = [self.encodable(regexes.text(rng)) for _ in range(TEXTS)]
        for i in range(0, TEXTS, 25):
            rows[i] = (rows[i] + rows[i + 1]) * rng.randint(1, 60)
        self.run('DROP TABLE IF EXISTS fuzz_regex')
        self.run('CREATE TABLE fuzz_regex (id int, s text, p char(14))')
        listed = ', '.join(f'({i}, {values.quote(row)}, {values.quote(row[:14])})' for i, row in enumerate(rows))
        self.run(f'INSERT INTO fuzz_regex VALUES {listed}')

    def query(self, rng, column):
        """A random query over the table, of one row."""
        kind = rng.random()
        if kind < self.found / 2:
            return ("SELECT string_agg(id || coalesce('=' || x, ''), ',' ORDER BY id) FROM "
                    f'(SELECT id, {found_text(rng, column)} AS x FROM fuzz_regex OFFSET 0) q')
        other = group if rng.random() < 0.4 else clause
        where = found_truth(rng, column) if kind < self.found else other(rng, column)
        return f"SELECT string_agg(id::text, ',' ORDER BY id) FROM fuzz_regex WHERE {where}"

    def compare(self, query, size):
        """One query, both ways."""
        self.run(f"SET gpustr.max_automaton_size = '{size}'; SET gpustr.enabled = on; SET gpustr.debug_require = 'require'")
        fast = self.answer(query)
        self.run("SET gpustr.debug_require = 'allow'; SET gpustr.enabled = off")
        if isinstance(fast, str) and fast.startswith(REFUSED):
            self.refused += 1
            return
        slow = self.answer(query)
        self.tested += 1
        self.errors += isinstance(slow, str)
        self.comparisons += 0 if isinstance(slow, str) else TEXTS
        if TIMED_OUT in (fast, slow):
            self.slow += 1      # PostgreSQL's own matcher, which either may need
        elif fast != slow:
            self.different += 1
            print(f'DIFFERENT: {query}; with {size}\n  with gpustr {fast}\n  without     {slow}', flush=True)

    def round(self, rng):
        """A table and expressions."""
        self.make_table(rng)
        for _ in range(EXPRESSIONS_PER_ROUND):
            column = f'{rng.choice(["s", "s", "s", "p"])} COLLATE {rng.choice(self.collations)}'
            self.compare(self.encodable(self.query(rng, column)), rng.choice(SIZES))


def main():
    """Parse, run, report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--dsn', required=True, help='libpq connection string')
    parser.add_argument('--seconds', type=float, default=60, help='how long to make new rounds (default 60)')
    parser.add_argument('--seed', type=int, default=random.randrange(10 ** 9), help='default: any; printed')
    parser.add_argument('--engine', choices=['local', 'device'], default='local', help='gpustr.engine (default local)')
    parser.add_argument('--found', type=float, default=0.6, help='share of functions that look for matches (default 0.6)')
    parser.add_argument('--stop-after', type=int, default=10, help='how many differences are enough (default 10)')
    args = parser.parse_args()
    fuzzer = Fuzzer(args)
    end = time.monotonic() + args.seconds
    number = 0
    while time.monotonic() < end and fuzzer.different < args.stop_after:
        fuzzer.round(random.Random(f'{args.seed}/{number}'))
        number += 1
    print(f'seed {args.seed}: {number} rounds, {fuzzer.tested} expressions compared on {fuzzer.comparisons} values, '
          f'{fuzzer.errors} with errors, {fuzzer.refused} refused, {fuzzer.slow} timed out, {fuzzer.different} different')
    sys.exit(1 if fuzzer.different or fuzzer.slow > 2 + MOST_SLOW * fuzzer.tested or fuzzer.tested <= fuzzer.refused else 0)


if __name__ == '__main__':
    main()
