// SPDX-License-Identifier: Apache-2.0
// What a service can be asked to do, as plain values. Pointers and callbacks in requests (tools, cancelled, print) are the
// service's own affair: whoever submits leaves them empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "app/session/bench/bench.h"
#include "app/session/kernel_bench/kernel_bench.h"
#include "app/session/kernel_bench/run.h"
#include "app/session/model/model.h"
#include "app/session/model/tune/tune.h"
#include "app/session/preview/preview.h"
#include "app/session/profile/profile.h"
#include "app/session/script/rehearsal.h"
#include "app/session/tools/doctor.h"
#include "runtime/toolchain/compiler.h"
#include "runtime/toolchain/solver.h"

namespace hidet::session {

struct SolveRequest {
    std::string question; // SMT-LIB 2 text
};
struct WarmUpRequest {}; // loads compilers, so that the first compilation is as fast as the next
struct WarmUpResult {};
struct ScriptCheckRequest { // what is wrong with a script, as far as that shows without data
    Source source;
    std::vector<std::string> calls; // of kernel factories
    std::string fault;
};
struct ScriptCheckResult : Outcome {};
struct ModelBenchRequest {
    ModelRunRequest run;
};
struct ModelTuneRequest {
    ModelRequest model;
};
struct FactsRequest {}; // about the machine that the worker is on

enum class JobKind : std::uint8_t {
#define HIDET_JOB(kind, name, doing, request, result, grace) kind,
#include "app/session/worker/jobs.def"
#undef HIDET_JOB
};

template <class, class... Types>
using VariantOf = std::variant<Types...>;

using JobRequest = VariantOf<void
#define HIDET_JOB(kind, name, doing, request, result, grace) , request
#include "app/session/worker/jobs.def"
#undef HIDET_JOB
                             >; // in the order of JobKind

using JobResult = VariantOf<void, std::monostate
#define HIDET_JOB(kind, name, doing, request, result, grace) , result
#include "app/session/worker/jobs.def"
#undef HIDET_JOB
                            >; // one further than JobKind

struct JobKindRow {
    const char* name;
    const char* doing; // "compiling"
    int grace_ms;
};
const JobKindRow& row_of(JobKind kind);
inline JobKind kind_of(const JobRequest& request) {
    return static_cast<JobKind>(request.index());
}

struct Job {
    JobRequest request;
    std::string title;  // what is being done, for people: "matmul.py"; empty: the name of the kind
    double seconds = 0; // how long it may take before its worker counts as hanging; 0: as long as it likes
};

// What happens while a job runs.
struct JobEvent {
    enum class Kind : std::uint8_t { Printed, Progress, Calling, Stepped };
    Kind kind = Kind::Printed;
    std::string text;                        // what was printed, byte by byte; or what is being done
    std::optional<double> fraction;          // Progress: 0 to 1, where it is known
    std::optional<double> seconds_left = {}; // Progress: of what is being done, where it can be told
    // Calling: compiled code is about to run, which may end the process; what to say then. Nothing: the same as before.
    std::optional<DiagnosticView> fault = {};
    std::uint64_t steps = 0; // Stepped: that a rehearsal has survived
};

enum class Ended : std::uint8_t {
    Answered,   // also by a script that failed: its result says so
    Refused,    // by the environment: compilations, with the codes of runtime/toolchain
    Cancelled,  // by whoever submitted it
    WorkerLost, // "worker-died", "worker-hung", "worker-confused", "worker-not-started", "worker-broken"
};

struct Answer {
    Ended ended = Ended::Answered;
    JobResult result;                         // Answered; Cancelled: how far it had come, where it ended by itself
    Error reason;                             // Refused, WorkerLost: in words for people
    std::string last_words;                   // WorkerLost: the last lines that the worker wrote to standard error
    std::optional<DiagnosticView> fault = {}; // WorkerLost: of the compiled code that it ran, and how it ended
    int signal = 0;                           // WorkerLost: that ended it; 0: none did
};

// The result, where there is one of that type.
template <class T>
const T* result_in(const Answer& answer) {
    return answer.ended == Ended::Answered ? std::get_if<T>(&answer.result) : nullptr;
}

} // namespace hidet::session
