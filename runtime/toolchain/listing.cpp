// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/listing.h"

#include "lang/base/text.h"
#include "runtime/process/run.h"

namespace hidet::toolchain {

int source_line(const Listing& listing, std::size_t line, const std::function<bool(int)>& counts) {
    if (line >= listing.source_lines.size())
        return 0;
    if (int own = listing.source_lines[line]; own > 0 && counts(own))
        return own;
    for (int caller : listing.callers[line])
        if (counts(caller))
            return caller;
    return 0;
}

Result<std::string> disassemble(const std::string& nvdisasm, const std::string& cubin, DisassemblyKind kind,
                                double seconds) {
    process::Command command{
        .words = {nvdisasm, "-c", "-gi", "-hex", "/dev/stdin"}, .input = cubin, .seconds = seconds};
    if (kind == DisassemblyKind::LiveRegisters)
        command.words = {nvdisasm, "-c", "-lrm", "narrow", "/dev/stdin"};
    auto outcome = process::run_to_end(command);
    if (!outcome)
        return Error{"nvdisasm-missing", outcome.error().message};
    if (!outcome.value().succeeded()) {
        std::string errors = outcome.value().errors.substr(0, 2000);
        return Error{"disassembly-failed",
                     cat("nvdisasm ", outcome.value().story(), errors.empty() ? "" : ": ", errors)};
    }
    return std::move(outcome).value().output;
}

} // namespace hidet::toolchain
