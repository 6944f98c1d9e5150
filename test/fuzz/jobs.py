"""Several fuzzers beside each other on one cluster, each a process of its own.

Job i has the seed plus i, a database of its own (fuzz_scan_i, made like the one
that --dsn names, and dropped at the end), and a folder of its own for what it
prints and finds.  Roles belong to the cluster, so the one that all need is made
before they start.

A job's last line is its counters, as JSON: they are added up.  A job that has
neither ended in time nor said why has failed.
"""

import collections
import json
import os
import subprocess
import sys
import time

import compare
import schema

PATIENCE = 240                  # seconds that a job may take beyond its own: it shrinks what it found
COUNTERS = 'counters: '


def database(number):
    """The name of a job's."""
    return f'fuzz_scan_{number}'


def make_databases(server, args):
    """One for each job."""
    (options,), = server.run("SELECT format('TEMPLATE template0 ENCODING %L LC_COLLATE %L LC_CTYPE %L', "
                             'pg_encoding_to_char(encoding), datcollate, datctype) FROM pg_database '
                             'WHERE datname = current_database()')
    server.run(schema.make_role())
    for i in range(args.jobs):
        server.run(f'DROP DATABASE IF EXISTS {database(i)}')
        server.run(f'CREATE DATABASE {database(i)} {options.decode()}')
        compare.Server(job_dsn(args, i), args.engine).run('CREATE EXTENSION gpustr')


def job_dsn(args, number):
    """Where a job connects to; of a keyword that is there twice, libpq takes the last."""
    return f'{args.dsn} dbname={database(number)}'


def start(args, number, program):
    """A running job, and where its output goes."""
    folder = os.path.join(args.found, f'job_{number}')
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, 'output')
    command = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), program),
               '--dsn', job_dsn(args, number), '--seed', str(args.seed + number), '--seconds', str(args.seconds),
               '--engine', args.engine, '--found', folder, '--stop-after', str(args.stop_after), '--counters', '--reasons']
    with open(path, 'wb') as file:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT), path


def finish(process, end):
    """Wait for it; its status, or None if it had to be ended."""
    try:
        return process.wait(max(1, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return None


def run(args, program):
    """All jobs of this program; the sum of their counters, and whether all are well."""
    server = compare.Server(args.dsn, args.engine)
    make_databases(server, args)
    end = time.monotonic() + args.seconds + PATIENCE
    jobs = [start(args, i, program) for i in range(args.jobs)]
    total = collections.Counter()
    well = True
    for i, (process, path) in enumerate(jobs):
        status = finish(process, end)
        with open(path, encoding='utf-8', errors='replace') as file:
            lines = file.read().splitlines()
        if lines and lines[-1].startswith(COUNTERS):
            total.update(json.loads(lines.pop()[len(COUNTERS):]))
        if status == 0:
            print(f'job {i}: {lines[-1]}', flush=True)
            continue
        well = False
        print(f'job {i}, seed {args.seed + i}, FAILED ({"it does not end" if status is None else f"status {status}"}):', flush=True)
        print('\n'.join(line for line in lines if not line.startswith(('    refused', '    errors'))), flush=True)
        for name in sorted(os.listdir(os.path.dirname(path))):
            if name.endswith('.sql'):
                with open(os.path.join(os.path.dirname(path), name), encoding='utf-8', errors='replace') as file:
                    print(f'-- {name}\n{file.read()}', flush=True)
    for i in range(args.jobs):
        server.run(f'DROP DATABASE {database(i)} WITH (FORCE)')
    return total, well
