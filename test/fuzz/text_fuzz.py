#!/usr/bin/python3
"""Differential fuzzing of functions of texts: random nested calls, both ways.

    text_fuzz.py --dsn 'host=/tmp port=5432' [--seconds 60] [--seed N] [--engine local|device] [--jobs N]

Works as scan_fuzz.py does and takes its arguments; the calls are those of
text_functions.py, over the tables of text_tables.py, in statements that
text_statements.py makes.  The database may have any encoding.

Before the first round each function is called over a small table, once in the
SELECT list and once in the WHERE clause: EXPLAIN ANALYZE says whether an engine
computed it for some row at all, rather than leaving each row to PostgreSQL.  A
'wanted' function that is not computed in WHERE, or one that makes a text and is
not computed in the SELECT list, makes the run fail, as nothing would be tested.  Of the random statements every third is explained, and
the closing line says for how many of their rows PostgreSQL had to step in.

Errors: SQLSTATE and message must be the same, in one process, where both sides
read the rows in the order in which they lie.  Where workers share a scan, or a
join decides the order, which row fails first is a matter of chance, and only
that both fail or neither does is compared; see compare.difference().

Functions that are gpustr's own have no answer without gpustr.  With it off their
SQL functions are compared, and a third time the functions of the same names and
arguments in oracle.sql, written apart from them in SQL and PL/pgSQL.  Their costs
are others, so clauses may be evaluated in another order: of statements that raise
an error the oracle says nothing.
"""

import os
import random
import re
import sys

import compare
import libpq
import scan_fuzz
import schema
import text_functions
import text_statements
import text_tables

ORACLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'oracle.sql')
ORACLE_SCHEMA = 'fuzz_oracle'

EXPLAIN = 'ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF'
EXPLAIN_EVERY = 3

OWN_CALLS = 6                   # of gpustr's own functions over a table of their own, each round

# A condition over a call of each family that is neither all true nor constant.
CONDITIONS = {'text': "({}) <> 'zz'", 'bpchar': "({}) <> 'zz'", 'name': "({}) <> 'zz'", 'int': '({}) <> -99', 'bool': '({})',
              'date': "({}) <> '1999-01-01'", 'uuid': "({}) <> 'ffffffff-ffff-ffff-ffff-ffffffffffff'",
              'bytea': "({}) <> '\\x00'", 'float': '({}) <> -99'}

PROOF_TABLE = [
    'CREATE TABLE proof (id int4, t text COLLATE "C", digits text COLLATE "C", days text COLLATE "C", uuids text COLLATE "C", '
    'truths text COLLATE "C", floats text COLLATE "C", n int4, n8 int8, d date, u uuid, o bool, y bytea, '
    'f float8, m timestamp, q numeric)',
    "INSERT INTO proof SELECT i, 'abc Def' || i, i::text, (date '2000-01-01' + i)::text, "
    "'00000000-0000-0000-0000-0000000000' || (10 + i), (i % 2 = 0)::text, (i / 7.0)::float8::text, i, i, date '2000-01-01' + i, "
    "('00000000-0000-0000-0000-0000000000' || (10 + i))::uuid, i % 2 = 0, ('\\x61' || to_hex(15 + i))::bytea, "
    "i / 7.0, timestamp '2000-01-01 10:11:12.5' + i * interval '1 day 1.25 seconds', i / 8.0 "
    'FROM generate_series(1, 20) i',
    'ANALYZE proof']


class TextServer(compare.Server):
    """A session that asks the oracle, too, and explains some of the statements."""

    def __init__(self, dsn, engine):
        super().__init__(dsn, engine)
        self.options = EXPLAIN
        self.asked = 0          # statements that might have been explained
        self.oracles = 0        # that the oracle had an answer for
        self.own = set()

    def explains(self, statement):
        """Every so many statements."""
        self.asked += 1
        return self.asked % EXPLAIN_EVERY == 0

    def both(self, statement):
        """As there; where the oracle has another answer, that one in place of the one without gpustr."""
        fast, slow, plan = super().both(statement)
        called = self.own.intersection(re.findall(r'\bgpustr\.(\w+)\(', statement.query()))
        if slow is None or slow.sqlstate or not called:
            return fast, slow, plan
        oracle = self.ask(statement)
        if oracle.sqlstate or compare.difference(statement, fast, slow):
            return fast, slow, plan
        self.oracles += 1
        return fast, oracle, plan

    def by_oracle(self, sql):
        """SQL with the oracle's functions in place of gpustr's."""
        for name in self.own:
            sql = re.sub(rf'\bgpustr\.{name}\(', f'{ORACLE_SCHEMA}.{name}(', sql)
        return sql

    def ask(self, statement):
        """The answer of the oracle."""
        text = self.by_oracle('; '.join(statement.script()))
        self.run('BEGIN')
        try:
            return self.answer('SET LOCAL gpustr.enabled = off; ' + text)
        finally:
            if not self.session.closed:
                self.run('ROLLBACK')


class TextFuzzer(scan_fuzz.Fuzzer):
    """Makes statements of functions of texts."""

    title = __doc__.splitlines()[0]
    program = 'text_fuzz.py'
    server_class = TextServer

    def __init__(self, args):
        super().__init__(args)
        self.functions = self.known_functions()
        if any(f.own for f in self.functions):
            self.server.run(f'DROP SCHEMA IF EXISTS {ORACLE_SCHEMA} CASCADE')
            with open(ORACLE, encoding='utf-8') as file:
                self.server.run(file.read())
            self.server.own = {text_functions.own_name(f) for f in self.functions if f.own}

    def known_functions(self):
        """All but those of gpustr's own that the extension does not have."""
        names = {name.decode() for name, in self.server.run(
            "SELECT proname FROM pg_proc WHERE pronamespace = to_regnamespace('gpustr')")}
        return [f for f in text_functions.FUNCTIONS if not f.own or text_functions.own_name(f) in names]

    def known_collations(self):
        """All sorts of collations, as far as the database can have them."""
        rows = self.server.run('SELECT collname FROM pg_collation '
                               "WHERE collname IN ('C.utf8', 'und-x-icu', 'tr-x-icu', 'de-x-icu') "
                               'AND pg_char_to_encoding(getdatabaseencoding()) > 0 '
                               'AND collencoding IN (-1, pg_char_to_encoding(getdatabaseencoding()))')
        names = [f'"{name.decode()}"' for name, in rows]
        found = ['"C"', '"C"', '"POSIX"', '"default"', '"default"'] + names
        if '"und-x-icu"' in names:
            found.append('nondet')
        try:
            self.server.run("BEGIN; CREATE COLLATION en_us (provider = libc, locale = 'en_US.utf8')")
            found.append('en_us')
        except libpq.Error:
            # neither this encoding nor a system without the locale has it
            pass
        self.server.run('ROLLBACK')
        return found

    def tables(self, rng):
        """A table of texts and a small one beside it."""
        return (text_tables.random_table(rng, 't', self.collations),
                text_tables.random_table(rng, 'u', self.collations, size=4))

    def statement(self, rng, table, other):
        """A statement with calls."""
        return text_statements.random_statement(rng, table, other, self.functions, lambda call: self.ask(call, table))

    def ask(self, call, table):
        """Values that PostgreSQL says the call has over the table, not NULL; none if it raises an error."""
        name = table.name
        answer = self.server.answer(f'BEGIN; SET LOCAL gpustr.enabled = off; SELECT ({call.sql()})::text FROM {name} '
                                    f'GROUP BY 1 ORDER BY min({name}.id) LIMIT 12')
        self.server.run('ROLLBACK')
        return [value.decode(self.server.encoding) for value, in answer.rows or [] if value is not None]

    def look_at(self, case, plan):
        """Count what was computed, and for how many rows PostgreSQL had to step in."""
        self.counts['oracles'] = self.server.oracles
        if 'GPU Rows: ' not in plan:
            return
        self.counts['explained'] += 1
        self.counts['with output'] += 'GPU Output: ' in plan
        self.counts['with filter'] += 'GPU Filter: ' in plan
        self.counts['rows'] += number_after(plan, 'GPU Rows: ')
        self.counts['rechecked'] += number_after(plan, 'GPU Rows Rechecked: ')

    # -- gpustr's own functions against the oracle --------------------------------

    def round(self, number):
        """As there, and then more values for gpustr's own functions."""
        super().round(number)
        own = [f for f in self.functions if f.own]
        if own and not self.enough():
            self.own_round(random.Random(f'{self.args.seed}/{number}/own'), own, number)

    def own_round(self, rng, functions, number):
        """Some calls over all rows of a table: where one differs from the oracle's, by gpustr and without."""
        table = text_tables.own_table(rng, self.collations)
        self.server.build(self.collations, [table])
        self.server.run("SET fuzz.number = 7; SET fuzz.text = 'abc'; SET statement_timeout = '60s'")
        for function in rng.sample(functions, min(len(functions), OWN_CALLS)):
            maker = text_statements.make_maker(rng, [table], self.functions, 0)
            call = maker.called(function, 1).sql()
            oracle = self.server.by_oracle(call)
            query = f'SELECT id, {call}, {oracle} FROM t WHERE ({call}) IS DISTINCT FROM ({oracle})'
            answer = self.server.answer(query)
            self.counts['own calls'] += answer.rows is not None
            self.invalid['oracle: ' + answer.message] += answer.rows is None
            if answer.rows:
                self.found += 1
                print(f'FAILED, round {number} (--round {number} --seed {self.args.seed}): not as the oracle has it\n'
                      f'    {ascii(query)}\n    {ascii(min(answer.rows, key=str))}', flush=True)
                if self.enough():
                    return

    # -- that functions are computed at all -------------------------------------

    def prove(self):
        """Call each function over the same small table."""
        server = self.server
        for command in list(schema.preamble(self.collations)) + PROOF_TABLE:
            server.run(command)
        for function in self.functions:
            call = text_functions.proof(function)
            self.counts['functions'] += 1
            ways = {'SELECT list': (f'SELECT id, {call} FROM proof', 'GPU Output: '),
                    'WHERE': (f'SELECT id FROM proof WHERE {CONDITIONS[function.family].format(call)}', 'GPU Filter: ')}
            why = {way: self.why_not(*what) for way, what in ways.items()}
            self.counts['computed in the SELECT list'] += not why['SELECT list']
            self.counts['computed in WHERE'] += not why['WHERE']
            if why['WHERE'] and (why['SELECT list'] or function.wanted) or why['SELECT list'] and function.output():
                self.counts['wanted but not computed'] += function.wanted
                mark = 'NOT COMPUTED' if function.wanted else 'not computed'
                print(f'{mark}: {function.name}: ' + '; '.join(f'{way}: {text}' for way, text in why.items() if text), flush=True)
            elif self.args.reasons and any(why.values()):
                print(f'half computed: {function.name}: ' + '; '.join(f'{way}: {text}' for way, text in why.items() if text))

    def why_not(self, query, title):
        """Why no engine computed what the query calls; None if one did."""
        settings = '; '.join(f"SET LOCAL {name} = '{value}'" for name, value in text_statements.statements.EAGER.items())
        self.server.run(f'BEGIN; {settings}; SET LOCAL gpustr.debug_require = require')
        try:
            plan = b'\n'.join(line for line, in self.server.run(f'EXPLAIN ({EXPLAIN}) {query}')).decode()
        except libpq.Error as error:
            return re.sub(r'^Reasons: (?:a clause over table "proof" is not offloaded: )?', '', error.detail) or error.message
        finally:
            self.server.run('ROLLBACK')
        if title not in plan:
            refused = re.findall(r'Not Offloaded: (.*)', plan)
            return refused[0] if refused else 'not offloaded'
        if number_after(plan, 'GPU Rows Rechecked: ') == number_after(plan, 'GPU Rows: '):
            return 'PostgreSQL computes each row'
        return None

    # -- the end ----------------------------------------------------------------

    def in_words(self, counts):
        """Counters in a line."""
        n = counts
        return (f'{n["tables"]} tables ({n["tables refused"]} refused), {n["statements"]} statements '
                f'({n["statements"] / max(self.args.seconds, 0.001):.0f}/s), {n["invalid"]} invalid, {n["refused"]} refused, '
                f'{n["compared"]} compared with GpuScan ({100 * n["compared"] / max(1, n["statements"]):.0f} %), '
                f'of which {n["errors"]} raised an error and {n["oracles"]} were compared with the oracle, '
                f'as were {n["own calls"]} calls over whole tables; '
                f'of {n["explained"]} explained {n["with filter"]} had a GPU Filter, {n["with output"]} a GPU Output, '
                f'and {n["rechecked"]} of {n["rows"]} rows were rechecked ({100 * n["rechecked"] / max(1, n["rows"]):.0f} %); '
                f'of {n["functions"]} functions {n["computed in the SELECT list"]} were computed in the SELECT list, '
                f'{n["computed in WHERE"]} in WHERE, {n["wanted but not computed"]} wanted ones not where they have to be; '
                f'{n["failures"]} failures, engine {self.args.engine}, seed {self.args.seed}')

    def proves_nothing(self, counts):
        """Why the run shows nothing; None if it does."""
        if counts['compared'] == 0:
            return 'no statement took a GpuScan'
        if counts['wanted but not computed']:
            return f'{counts["wanted but not computed"]} functions were never computed by an engine'
        if counts['explained'] >= 100 and 2 * counts['rechecked'] > counts['rows']:
            return 'PostgreSQL had to step in for more than half of the rows'
        return None


def number_after(plan, title):
    """The sum of the numbers that follow the title in a plan."""
    return sum(int(n) for n in re.findall(re.escape(title) + r'(\d+)', plan))


if __name__ == '__main__':
    sys.exit(scan_fuzz.main(TextFuzzer))
