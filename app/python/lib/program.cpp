// SPDX-License-Identifier: Apache-2.0
// hidetc as an entry of the library: what the program of that name calls that lies beside it in a wheel.
#include "app/cli/program.h"

extern "C" __attribute__((visibility("default"))) int hidet_program(int argc, char** argv);

int hidet_program(int argc, char** argv) {
    return hidet::cli::run_program(argc, argv);
}
