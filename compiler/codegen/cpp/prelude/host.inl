// SPDX-License-Identifier: Apache-2.0
// What headers of C would declare. What C++ for the CPU calls back, hidet_host, is in artifact/host_table.h.

//> INFINITY
#define INFINITY __builtin_inff()

//> NAN
#define NAN __builtin_nanf("")
