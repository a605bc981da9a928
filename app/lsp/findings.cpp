// SPDX-License-Identifier: Apache-2.0
#include "app/lsp/findings.h"

#include "app/session/live/findings.h"
#include "lang/base/text.h"

namespace hidet::lsp {

namespace {

// The codes are those of the manual: "hidetc manual uncoalesced".
Finding finding(const char* code, Severity severity, const session::Place& place, std::string message) {
    Finding out;
    out.diagnostic.id = code;
    out.diagnostic.severity = severity;
    out.diagnostic.place = place;
    out.diagnostic.message = std::move(message);
    return out;
}

Finding finding_of(const session::AccessView& view) {
    std::string message = cat(view.kind, view.tensor.empty() ? "" : cat(" of '", view.tensor, "'"), ": ", view.finding);
    if (!view.cure.empty())
        message += "\ncure: " + view.cure;
    Finding out =
        finding(view.memory == "shared" ? "bank-conflict" : "uncoalesced", Severity::Note, view.place, message);
    out.repair = view.fixes;
    return out;
}

} // namespace

std::vector<Finding> findings_of(const session::Explained& explained, const std::string& file) {
    const session::LineFindings found = line_findings(explained, file);
    std::vector<Finding> out;
    for (const session::BoundsAccess* view : found.leaving)
        out.push_back(finding("out-of-bounds", Severity::Error, view->place, cat(view->kind, ": ", view->example)));
    for (const session::AccessView* view : found.costly)
        out.push_back(finding_of(*view));
    for (const session::ContractView* view : found.contracts)
        if (view->state == session::ContractState::Broken)
            out.push_back(finding("contract", Severity::Warning, view->place, cat(view->text, ": ", view->sentence)));
    return out;
}

} // namespace hidet::lsp
