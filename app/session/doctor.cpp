// SPDX-License-Identifier: Apache-2.0
#include "app/session/doctor.h"

#include "app/session/tools.h"

namespace hidet::session {

static const char* serves(toolchain::Tool tool) {
    switch (tool) {
    case toolchain::Tool::Nvrtc: return "PTX and machine code for GPUs";
    case toolchain::Tool::Nvdisasm: return "SASS";
    case toolchain::Tool::Driver: return "kernels on a GPU; without it they are emulated";
    case toolchain::Tool::Cublas: return "the peer of 'bench --against cublas'";
    case toolchain::Tool::CxxCompiler: return "CPU kernels at machine speed; without it they are interpreted";
    }
    return "";
}

DoctorReport examine(Tools& tools) {
    DoctorReport report;
    for (toolchain::Finding& finding : tools.toolchain().facts()) {
        ToolFact fact;
        fact.name = std::move(finding.name);
        fact.serves = serves(finding.what);
        fact.usable = finding.state == toolchain::State::Found;
        fact.path = std::move(finding.path);
        fact.version = std::move(finding.version);
        fact.origin = std::move(finding.origin);
        fact.problem = std::move(finding.problem);
        fact.advice = std::move(finding.advice);
        fact.looked = std::move(finding.looked);
        report.tools.push_back(std::move(fact));
    }
    return report;
}

} // namespace hidet::session
