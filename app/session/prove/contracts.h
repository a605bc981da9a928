// SPDX-License-Identifier: Apache-2.0
// What a script says of its own kernels: `# studio: expect registers <= 128, conflicts == 0` of their performance, and
// `# studio: expect proved races, bounds` of what holds for every size. A comment in a kernel is about that kernel, one outside of
// kernels about all of them.
#pragma once

#include "app/session/explain/explain.h"

namespace hidet::session {

enum class ContractState : std::uint8_t {
    Kept,
    Broken,
    Unknown, // the figure is not known, which is no success
};
const char* contract_state_name(ContractState state); // "kept"

struct ContractView { // one figure, or one claim, of one kernel
    Place place;      // of "registers <= 128"
    std::string text; // the same
    std::string kernel;
    std::string name; // "registers"
    ContractState state = ContractState::Unknown;
    std::optional<double> figure;
    std::string verdict;  // of a claim: "proved", "proved if", "refuted", "open"; empty: nobody has asked
    std::string sentence; // "'matmul' has 40 registers a thread"; what is missing
};

struct ContractResult : Outcome {
    std::vector<ContractView> contracts; // in the order of the script, by kernel
    int modules_built = 0;
    bool are_all_kept() const;
};

// One clause of a comment: about a figure, "registers <= 128", or a claim, "proved races".
struct ContractClause {
    std::string claim;      // "races"; empty: it is about a figure
    int figure = 0;         // a row of contracts.def
    std::string comparison; // "<=", "<", "==", ">=", ">"
    double bound = 0;
    Span span;
    std::string text;
};
// Comments that cannot be read are diagnostics.
std::vector<ContractClause> read_contracts(const SourceMap& sources, FileId file, DiagnosticSink& sink);
// In the order of the clauses, by kernel.
std::vector<ContractView> judged_contracts(const std::vector<ContractClause>& clauses, const SourceMap& sources,
                                           const std::vector<KernelExplained>& kernels);

// Where in a line the clauses of a contract begin; nothing: it has none.
std::optional<std::size_t> contract_in(std::string_view line);

// Comments that cannot be read are diagnostics.
ContractResult check_contracts(const ExplainRequest& request);

} // namespace hidet::session
