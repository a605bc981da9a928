# SPDX-License-Identifier: Apache-2.0
"""Jobs of Python one after the other, by the names of the published package: what is slow in them, compilers, runs in processes of
the library's own anyway."""

_job_queue = None  # the published package's tests empty it


def parallel_imap_1stlevel(func, jobs, is_remote_allowed=False):
    """func(job) of every job, in order."""
    return map(func, jobs)


parallel_imap_2ndlevel = parallel_imap_1stlevel
