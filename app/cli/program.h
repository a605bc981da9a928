// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hidet::cli {

// hidetc: what its main() does, also as an entry of a library. Gives the exit code, or ends the process. Takes the handler of SIGINT.
int run_program(int argc, char** argv);

} // namespace hidet::cli
