"""Run a statement with gpustr and without, and tell whether the answers differ.

Both runs happen in one transaction, so that now() is the same, each under a
savepoint that is rolled back, so that UPDATE and DELETE leave nothing behind.

Values arrive as the bytes that the server sent, in its own encoding: nothing is
parsed, so -0 differs from 0 and 1.0 from 1.00.  An answer is the multiset of
rows, or an error's SQLSTATE and message.  What must agree depends on the
statement: see difference().

A connection that breaks is a crash; an answer that does not come is a hang.
"""

import collections
import re
import time

import libpq
import schema

HANG_SECONDS = 90               # beyond statement_timeout
RECOVERY_SECONDS = 60           # after a crash

Answer = collections.namedtuple('Answer', 'rows sqlstate message detail')

TIMEOUT = '57014'


class Server:
    """A session; made anew when the server has crashed."""

    require = 'require'         # gpustr.debug_require, and what it says where that cannot be
    refused = 'could not run this query with gpustr'

    def __init__(self, dsn, engine):
        self.dsn = dsn
        self.engine = engine
        self.session = None
        self.lost = 0           # how often the connection broke
        self.options = 'VERBOSE, COSTS OFF'     # of EXPLAIN
        self.connect()

    def connect(self):
        """Open a new session, waiting for a server that recovers."""
        end = time.monotonic() + RECOVERY_SECONDS
        while True:
            if self.session:
                self.session.close()
            try:
                self.open()
                return
            except libpq.Broken:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)

    def open(self):
        """A new session, its settings made."""
        self.session = libpq.Session(self.dsn, HANG_SECONDS)
        self.encoding = 'utf-8'
        if self.run('SHOW server_encoding') != [(b'UTF8',)]:
            self.encoding = 'latin-1'
        # the server sends bytes as they are
        self.run('SET client_encoding = SQL_ASCII')
        self.run('SET client_min_messages = error')
        self.run(f'SET search_path = {schema.SCHEMA}')
        self.run(f'SET gpustr.engine = {self.engine}')

    def encode(self, sql):
        """The bytes of SQL, with other characters in place of those that a single-byte encoding has not."""
        if self.encoding != 'utf-8':
            sql = re.sub('[^\x00-\xff]', lambda m: chr(160 + ord(m.group()) % 96), sql)
        return sql.encode(self.encoding)

    def run(self, sql):
        """Run commands; their rows."""
        return self.session.run(self.encode(sql))

    def answer(self, sql):
        """The same, an error being an answer, too."""
        try:
            return Answer(collections.Counter(self.run(sql)), None, '', '')
        except libpq.Error as error:
            return Answer(None, error.sqlstate, error.message, error.detail)

    def build(self, collations, tables):
        """The schema with these tables; raises libpq.Error if SQL refuses it."""
        self.run('ROLLBACK')
        for statement in list(schema.preamble(collations)) + [s for t in tables for s in t.statements()]:
            self.run(statement)

    def explains(self, statement):
        """Is the plan asked for?"""
        return bool(statement.outputs())

    def both(self, statement):
        """The answers with gpustr and without, and the plan with it; of the second None if no GpuScan was taken.

        The plan is a text, and '' where it was not asked for.
        """
        with_it = f'SET LOCAL gpustr.debug_require = {self.require}; '
        without = 'SET LOCAL gpustr.enabled = off; SET LOCAL gpustr.debug_require = forbid; '
        self.run('BEGIN; SAVEPOINT s')
        try:
            fast = self.answer(with_it + '; '.join(statement.script()))
            if fast.message == self.refused:
                return fast, None, ''
            start = time.monotonic()
            slow = self.answer('ROLLBACK TO s; ' + without + '; '.join(statement.script()))
            if fast.sqlstate == TIMEOUT and time.monotonic() - start > 1:
                # PostgreSQL takes its time, too: how much is not to be judged here
                slow = fast
            if slow.sqlstate == TIMEOUT or not self.explains(statement):
                return fast, slow, ''
            try:
                plan = self.run('ROLLBACK TO s; ' + with_it + '; '.join(statement.script(explain=self.options)))
            except libpq.Error:
                # it is the planner that raises it
                return fast, slow, ''
            return fast, slow, b'\n'.join(line for line, in plan).decode(errors='replace')
        finally:
            if not self.session.closed:
                self.run('ROLLBACK')


def ordered(statement):
    """Does one process read the rows in one order, so that the first error is the same?"""
    return not statement.parallel() and statement.shape not in ('join', 'exists')


def difference(statement, fast, slow):
    """What differs between the answers, in words; None if they agree."""
    if slow is None:
        return None
    if slow.sqlstate == TIMEOUT:
        # PostgreSQL itself cannot tell in time
        return None
    if fast.sqlstate == TIMEOUT:
        return 'statement timeout'
    if fast.sqlstate or slow.sqlstate:
        if fast.sqlstate and slow.sqlstate:
            if ordered(statement) and fast[1:3] != slow[1:3]:
                return f'with gpustr: {fast.sqlstate} {fast.message}; without: {slow.sqlstate} {slow.message}'
            return None
        # with LIMIT, other workers may have met the row that fails or not; a join may leave a side unread
        if not ordered(statement) and statement.shape in ('limit', 'join', 'exists', 'cursor', 'scroll'):
            return None
        return f'only {"with" if fast.sqlstate else "without"} gpustr: {fast.sqlstate or slow.sqlstate} {fast.message or slow.message}'
    if statement.parallel() and statement.shape in ('limit', 'cursor', 'scroll'):
        # any rows will do, as long as they are as many
        if sum(fast.rows.values()) != sum(slow.rows.values()):
            return f'{sum(fast.rows.values())} rows with gpustr, {sum(slow.rows.values())} without'
        return None
    extra, missing = fast.rows - slow.rows, slow.rows - fast.rows
    if extra or missing:
        return (f'{sum(extra.values())} rows only with gpustr {sample(extra)}, '
                f'{sum(missing.values())} only without {sample(missing)}')
    return None


def sample(rows):
    """One row, for the report."""
    return ascii(next(iter(rows)))[:200] if rows else ''
