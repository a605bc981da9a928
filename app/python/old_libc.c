/* SPDX-License-Identifier: Apache-2.0 */
/* What the headers of a newer C library want of it, and the oldest that wheels run with has not. */

/* Whether there is one thread only: shared pointers then count without atomics. Nobody can say, so: no. */
char __libc_single_threaded = 0;
