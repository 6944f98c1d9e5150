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
import select
import time

import psycopg2
import psycopg2.extensions as ext

import schema

HANG_SECONDS = 90               # beyond statement_timeout

# The server sends bytes as they are, and here each byte is one character.
ext.encodings['SQLASCII'] = ext.encodings['SQL_ASCII'] = 'latin-1'

Answer = collections.namedtuple('Answer', 'rows sqlstate message detail')

REFUSED = 'could not run this query with gpustr'


class ServerDied(Exception):
    """The connection broke while a statement ran."""


class Hang(Exception):
    """Neither an answer nor statement_timeout came."""


def wait(connection):
    """psycopg2's wait callback, with an end."""
    end = time.monotonic() + HANG_SECONDS
    while True:
        state = connection.poll()
        if state == ext.POLL_OK:
            return
        files = [connection.fileno()]
        left = end - time.monotonic()
        if left <= 0:
            raise Hang()
        if state == ext.POLL_READ:
            select.select(files, [], [], left)
        else:
            select.select([], files, [], left)


class Server:
    """A session; made anew when the server has crashed."""

    def __init__(self, dsn, engine):
        self.dsn = dsn
        self.engine = engine
        ext.set_wait_callback(wait)
        self.connect()

    def connect(self):
        """Open the session, waiting for a server that recovers."""
        end = time.monotonic() + 60
        while True:
            try:
                self.session = psycopg2.connect(self.dsn)
                break
            except psycopg2.OperationalError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)
        self.session.autocommit = True
        self.cursor = self.session.cursor()
        self.cursor.execute('SHOW server_encoding')
        self.encoding = 'utf-8' if self.cursor.fetchone()[0] == 'UTF8' else 'latin-1'
        # every type as it is sent, whatever its OID
        self.cursor.execute('SELECT array_agg(oid::int8) FROM pg_type')
        raw = ext.new_type(tuple(self.cursor.fetchone()[0]), 'RAW', lambda value, _: value)
        self.session.set_client_encoding('SQL_ASCII')
        ext.register_type(raw, self.session)
        self.run('SET client_min_messages = error')
        self.run(f'SET search_path = {schema.SCHEMA}')
        self.run(f'SET gpustr.engine = {self.engine}')

    def run(self, sql):
        """Run commands; the rows of the last one."""
        try:
            self.cursor.execute(sql.encode(self.encoding))
            return self.cursor.fetchall() if self.cursor.description else []
        except (psycopg2.OperationalError, psycopg2.InterfaceError) as error:
            if self.session.closed or not getattr(error, 'pgcode', None):
                raise ServerDied(str(error)) from error
            raise

    def answer(self, sql):
        """The same, an error being an answer, too."""
        try:
            return Answer(collections.Counter(self.run(sql)), None, '', '')
        except psycopg2.Error as error:
            return Answer(None, error.pgcode, error.diag.message_primary, error.diag.message_detail or '')

    def build(self, collations, tables):
        """The schema with these tables; raises psycopg2.Error if SQL refuses it."""
        self.run('ROLLBACK')
        for statement in list(schema.preamble(collations)) + [s for t in tables for s in t.statements()]:
            self.run(statement)

    def both(self, statement):
        """The answers with gpustr and without; (None, None) if no GpuScan was taken."""
        commands = '; '.join(statement.script())
        with_it = 'SAVEPOINT s; SET LOCAL gpustr.debug_require = require; '
        without = ('ROLLBACK TO s; SET LOCAL gpustr.enabled = off; SET LOCAL gpustr.debug_require = forbid; ')
        self.run('BEGIN')
        try:
            fast = self.answer(with_it + commands)
            if fast.message == REFUSED:
                return fast, None
            return fast, self.answer(without + commands)
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
    for answer in (fast, slow):
        if answer.sqlstate == '57014':
            return 'statement timeout'
    if fast.sqlstate or slow.sqlstate:
        if fast.sqlstate and slow.sqlstate:
            if ordered(statement) and fast[1:3] != slow[1:3]:
                return f'with gpustr: {fast.sqlstate} {fast.message}; without: {slow.sqlstate} {slow.message}'
            return None
        # with LIMIT, other workers may have met the row that fails or not; a join may leave a side unread
        if not ordered(statement) and statement.shape in ('limit', 'join', 'exists', 'cursor'):
            return None
        return f'only {"with" if fast.sqlstate else "without"} gpustr: {fast.sqlstate or slow.sqlstate} {fast.message or slow.message}'
    if statement.parallel() and statement.shape in ('limit', 'cursor'):
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
