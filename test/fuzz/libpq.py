"""Sessions with PostgreSQL through libpq itself, so that no driver is needed.

Commands go to the server as the bytes that they are, and values come back as
the bytes that the server sent: None for NULL.  Nothing is parsed.

What the server says is an Error.  A connection that is lost is Broken, an
answer that does not come in time is a Hang; neither is an Error.

The library is looked for where pg_config says, then where the dynamic loader
looks, then as the system names it.
"""

import ctypes
import ctypes.util
import os
import select
import subprocess
import time

# enum values of libpq-fe.h, which are part of its ABI
CONNECTION_OK = 0
PGRES_TUPLES_OK = 2
PGRES_FATAL_ERROR = 7

# name: what it returns; all take pointers and integers
FUNCTIONS = {'PQconnectdb': ctypes.c_void_p, 'PQstatus': ctypes.c_int, 'PQerrorMessage': ctypes.c_char_p,
             'PQfinish': None, 'PQsocket': ctypes.c_int, 'PQsendQuery': ctypes.c_int, 'PQconsumeInput': ctypes.c_int,
             'PQisBusy': ctypes.c_int, 'PQgetResult': ctypes.c_void_p, 'PQresultStatus': ctypes.c_int,
             'PQresultErrorField': ctypes.c_char_p, 'PQntuples': ctypes.c_int, 'PQnfields': ctypes.c_int,
             'PQgetvalue': ctypes.c_char_p, 'PQgetisnull': ctypes.c_int, 'PQclear': None}
INTEGERS = {'PQresultErrorField': 1, 'PQgetvalue': 2, 'PQgetisnull': 2}


class Error(Exception):
    """The server refused a command."""

    def __init__(self, sqlstate, message, detail):
        super().__init__(message)
        self.sqlstate = sqlstate
        self.message = message
        self.detail = detail


class Broken(Exception):
    """The connection is gone, or could not be made; with the SQLSTATE, if the server had time to say why."""

    def __init__(self, message, sqlstate=None):
        super().__init__(message)
        self.sqlstate = sqlstate


class Hang(Exception):
    """No answer came in time; the session is closed."""


def candidates():
    """What to load, the likeliest first."""
    try:
        found = subprocess.run([os.environ.get('PG_CONFIG', 'pg_config'), '--libdir'], capture_output=True, text=True,
                               check=True)
        yield os.path.join(found.stdout.strip(), 'libpq.so.5')
    except (OSError, subprocess.CalledProcessError):
        pass
    yield 'libpq.so.5'
    name = ctypes.util.find_library('pq')
    if name:
        yield name


def load():
    """The library, its functions declared."""
    tried = []
    for name in candidates():
        try:
            library = ctypes.CDLL(name)
        except OSError as error:
            tried.append(str(error))
            continue
        for function, result in FUNCTIONS.items():
            call = getattr(library, function)
            call.restype = result
            text = function in ('PQconnectdb', 'PQsendQuery')
            call.argtypes = ([] if function == 'PQconnectdb' else [ctypes.c_void_p]) + [ctypes.c_char_p] * text + \
                [ctypes.c_int] * INTEGERS.get(function, 0)
        return library
    raise ImportError('could not load libpq: ' + '; '.join(tried))


PQ = load()


class Session:
    """A connection.  'seconds' is how long an answer may take."""

    def __init__(self, dsn, seconds):
        self.seconds = seconds
        self.connection = PQ.PQconnectdb(dsn.encode())
        if self.closed:
            message = self.why_broken()
            self.close()
            raise Broken(message)

    @property
    def closed(self):
        """Is the connection gone?"""
        return self.connection is None or PQ.PQstatus(self.connection) != CONNECTION_OK

    def close(self):
        """End it."""
        if self.connection is not None:
            PQ.PQfinish(self.connection)
            self.connection = None

    def why_broken(self):
        """libpq's message."""
        return (PQ.PQerrorMessage(self.connection) or b'').decode(errors='replace').strip()

    def run(self, commands):
        """Run commands, separated by semicolons; the rows of all of them, one after the other."""
        if self.connection is None:
            raise Broken('the session was closed')
        if not PQ.PQsendQuery(self.connection, commands):
            raise Broken(self.why_broken())
        rows = []
        error = None
        end = time.monotonic() + self.seconds
        while True:
            self.wait(end)
            result = PQ.PQgetResult(self.connection)
            if not result:
                break
            try:
                status = PQ.PQresultStatus(result)
                if status == PGRES_TUPLES_OK:
                    rows += read_rows(result)
                elif status == PGRES_FATAL_ERROR:
                    error = error or self.read_error(result)
            finally:
                PQ.PQclear(result)
        if error:
            raise error
        return rows

    def wait(self, end):
        """Until the next result is there."""
        while PQ.PQisBusy(self.connection):
            if not select.select([PQ.PQsocket(self.connection)], [], [], max(0, end - time.monotonic()))[0]:
                self.close()
                raise Hang()
            if not PQ.PQconsumeInput(self.connection):
                # what the server said before it went, if anything, is a result
                return

    def read_error(self, result):
        """What went wrong, as an exception."""
        severity, sqlstate, message, detail = (
            (PQ.PQresultErrorField(result, ord(field)) or b'').decode(errors='replace') for field in 'VCMD')
        if not sqlstate or severity in ('FATAL', 'PANIC') or self.closed:
            return Broken(message or self.why_broken(), sqlstate or None)
        return Error(sqlstate, message, detail)


def read_rows(result):
    """The rows of a result, as tuples."""
    columns = range(PQ.PQnfields(result))
    get, is_null = PQ.PQgetvalue, PQ.PQgetisnull
    return [tuple(get(result, i, k) or (None if is_null(result, i, k) else b'') for k in columns)
            for i in range(PQ.PQntuples(result))]
