// SPDX-License-Identifier: Apache-2.0
// Prints what the toolchain finds on this machine, for people.
#include <cstdio>

#include "runtime/toolchain/toolchain.h"

int main() {
    hidet::toolchain::Toolchain toolchain;
    for (const auto& finding : toolchain.facts())
        std::printf("%-12s %d %s %s (%s) %s %s\n", finding.name.c_str(), static_cast<int>(finding.state),
                    finding.path.c_str(), finding.version.c_str(), finding.origin.c_str(), finding.problem.c_str(),
                    finding.advice.c_str());
}
