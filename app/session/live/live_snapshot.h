// SPDX-License-Identifier: Apache-2.0
// What a LiveSession takes and publishes. Snapshots of one revision share what has not changed between them, so keeping
// and comparing them is cheap.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/live/assist.h"
#include "app/session/request/request.h"
#include "app/session/snapshot/outcome.h"

namespace hidet::session {

struct Explained; // live/explained.h
struct PreviewedScript;

struct LiveRequest {
    std::uint64_t revision = 0;
    // Between the request and its lowering, while a newer text may come; the analysis does not wait.
    std::chrono::milliseconds pause{0};
    Source source;
    std::vector<std::string> calls; // of kernel factories
    std::string arch = default_arch;
    std::vector<Form> forms = {Form::Cuda, Form::Ptx, Form::Sass}; // of every module
    bool explains = false;                                         // what the accesses of kernels cost, and why
    bool explains_machine = false;                                 // what SASS says of itself (StageView::machine)
    // Names of functions of the module that the user looks at: it is lowered and compiled first.
    std::vector<std::string> first_module;
    std::shared_ptr<const assist::Buffers> buffers; // that are read in the place of files; may be null
    std::string fault;                              // a stage that shall fail, to test the report of internal errors
};

enum class Progress : std::uint8_t {
    NotAsked,
    Pending, // on its way, unless the snapshot is complete
    Made,
    Failed,  // a mistake in the script, or a bug of ours; the reason says which
    Missing, // a tool is not on this machine
};

struct FormProgress {
    Progress state = Progress::NotAsked;
    std::string reason; // of Failed and Missing
    double ms = 0;      // since submit(), when it was Made
};

// Milliseconds from submit(), without the pause that was waited for, to the stage of the module that the user looks at first;
// nothing where it did not happen.
struct StageLatency {
    std::optional<double> ir, explained; // of all modules
    std::array<std::optional<double>, form_count> forms{};
    std::optional<double>& of(Form form) { return forms[static_cast<std::size_t>(form)]; }
    const std::optional<double>& of(Form form) const { return forms[static_cast<std::size_t>(form)]; }
};

struct LiveModule {
    std::shared_ptr<const ModuleSnapshot> snapshot; // never null; its passes are empty until it was lowered
    Progress lowering = Progress::Pending;
    std::string reason; // of a lowering that failed
    std::array<FormProgress, form_count> forms{};
    const FormProgress& progress(Form form) const { return forms[static_cast<std::size_t>(form)]; }
};

struct LiveSnapshot {
    std::uint64_t revision = 0;
    std::shared_ptr<const LiveRequest> request;
    bool evaluated = false; // the list of modules is whole
    bool complete = false;  // the last snapshot of this revision
    bool broken = false;    // the script has mistakes that may keep it from building all of its modules
    bool has_errors = false;
    Status status = Status::Ok;
    std::vector<LiveModule> modules;         // in the order in which the script built them
    std::vector<DiagnosticView> diagnostics; // of the script and its lowering by place, then of compilers
    std::vector<DiagnosticView> refuted;     // what proofs find wrong in kernels, which are built and run all the same
    StageLatency latency;
    std::shared_ptr<const Explained> explained; // null: not asked for, or not yet known of all modules
    // For the editor's questions: as soon as the text was read, and again, with the values that the evaluation showed, when it
    // was evaluated. Null: not yet read, or IR.
    assist::DocumentRef document;
    // For functions of the session that ask more of the script: signatures(). Null: not yet evaluated, or IR.
    std::shared_ptr<const PreviewedScript> preview;
};

// The form of a module, or null.
std::shared_ptr<const FormSnapshot> form_of(const ModuleSnapshot& module, Form form);

} // namespace hidet::session
