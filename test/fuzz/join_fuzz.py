#!/usr/bin/python3
"""Differential fuzzing of GpuJoin: random tables, random joins, both ways.

    join_fuzz.py --dsn 'host=/tmp port=5432' [--seconds 60] [--seed N] [--engine local|device] [--jobs N]

Works as scan_fuzz.py does and takes its arguments; tables and statements are those
of join_statements.py.  A statement without a GpuJoin in its plan is refused.  The
closing line also says how many of those compared had several passes, a join filter of
each kind, a fused outer side, and several steps.
"""

import re
import sys

import compare
import join_statements
import scan_fuzz

EXPLAIN = 'ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF'
EXPLAIN_EVERY = 4

# What is counted in plans.
FEATURES = {'passes': r'partitions (?!1\b)\d', 'GPU Join Filter': r'GPU Join Filter: ', 'Join Filter': r'(?<!GPU )Join Filter: ',
            'fused': r'GpuJoin\)(?:(?!->).)*->  (?:Parallel )?Custom Scan \(GpuScan\)', 'stacked': r'GPU Join Cond 2: ',
            'chained': r'Join Type: Semi[\s\S]*Join Type: Semi', 'parallel': r'Parallel Custom Scan \(GpuJoin\)'}


class JoinServer(compare.Server):
    """A session in which a GpuJoin is required, and some of the statements are explained."""

    require = 'require_join'
    refused = 'could not join with gpustr in this query'

    def __init__(self, dsn, engine):
        super().__init__(dsn, engine)
        self.options = EXPLAIN
        self.asked = 0

    def explains(self, statement):
        """Every so many statements."""
        self.asked += 1
        return self.asked % EXPLAIN_EVERY == 0


class JoinFuzzer(scan_fuzz.Fuzzer):
    """Makes joins."""

    title = __doc__.splitlines()[0]
    program = 'join_fuzz.py'
    server_class = JoinServer

    def tables(self, rng):
        """a, b and c, and what their keys have in common."""
        return join_statements.random_tables(rng, self.collations)

    def tables_of(self, made):
        """The tables themselves."""
        return made[0]

    def statement(self, rng, tables, slots):
        """A join of them."""
        return join_statements.random_statement(rng, tables, slots)

    def look_at(self, case, plan):
        """Count what its plan has."""
        if not plan:
            return
        self.counts['explained'] += 1
        for name, pattern in FEATURES.items():
            self.counts[name] += re.search(pattern, plan, re.DOTALL if name == 'fused' else 0) is not None

    def in_words(self, counts):
        """Counters in a line."""
        n = counts
        features = ', '.join(f'{n[name]} {name}' for name in FEATURES)
        return (f'{n["tables"]} sets of tables ({n["tables refused"]} refused), {n["statements"]} statements '
                f'({n["statements"] / max(self.args.seconds, 0.001):.0f}/s), {n["invalid"]} of them invalid, {n["compared"]} compared with '
                f'GpuJoin ({100 * n["compared"] / max(1, n["statements"]):.0f} %), of which {n["errors"]} raised an error; of '
                f'{n["explained"]} explained: {features}; {n["failures"]} failures, engine {self.args.engine}, seed {self.args.seed}')

    def proves_nothing(self, counts):
        """Why the run shows nothing; None if it does."""
        return 'no statement took a GpuJoin' if counts['compared'] == 0 else None


if __name__ == '__main__':
    sys.exit(scan_fuzz.main(JoinFuzzer))
