// SPDX-License-Identifier: Apache-2.0
// A package, run by the library that runs packages everywhere else too (runtime/capi).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/session/plan/plan_runner.h"
#include "app/session/snapshot/targets.h"
#include "app/session/work/work.h"
#include "runtime/package/digest.h"

struct hidet_error;
struct hidet_exchange;

namespace hidet::session {

bool is_package(const std::string& path); // by its name

struct PackageStep {
    std::string name;
    double microseconds = 0;
};

// How an entry that several processes share has to do with the others.
struct PackageGroup {
    std::function<Result<void>(const hidet_exchange&)> exchange; // null: it is not shared
    int threads = 0;                                             // on the CPU; 0: all
    int gpu = 0;
    void* stream = nullptr; // of that GPU, where it exchanges what lies there; null: through the host
};

struct PackageOptions {
    std::string path;
    std::string entry;            // empty: the first
    Target target = Target::Auto; // that is the GPU where there is one and the package has code for it
    bool trusts = false;          // machine code for the CPU may run in this process
    bool is_timed = false;        // each step
    bool is_poisoned = false;     // on the CPU: what no kernel writes is no number
    std::function<bool()> is_stopped = {};
    PackageGroup group = {};
};

struct PackageContent {
    std::vector<std::string> entries;
    package::Checksum checksum; // of all that it holds
};

// An entry of a package, whatever it is compiled for.
struct PackageEntry {
    std::string name;
    artifact::LaunchPlan plan; // of its first variant
};

class PackageRun {
public:
    static std::optional<PackageContent> content(const std::string& path, hidet_error& error); // likewise
    static std::vector<PackageEntry> entries(const std::string& path, hidet_error& error); // empty: the error says why
    static std::unique_ptr<PackageRun> open(PackageOptions options, hidet_error& error);   // null: the error says why
    ~PackageRun();

    const artifact::LaunchPlan& plan() const;             // whose inputs and outputs are the entry's
    bool bind(const Tensors& inputs, hidet_error& error); // which outlive the runs
    bool run(hidet_error& error);                         // until it has ended
    bool is_on_gpu() const;                               // where all runs but the first are one CUDA graph
    std::string where() const;
    std::vector<PackageStep> take_steps(); // since the last call, if they are timed
    std::optional<Tensors> outputs(hidet_error& error);

private:
    struct State;
    explicit PackageRun(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

// What a refusal is about: the file, the caller, or this machine.
enum class PackageFault : std::uint8_t { Cancelled, Missing, Damaged, NotTrusted, Mistake, WrongUsage, Environment };
PackageFault fault_of(const hidet_error& error);
// "'x.hidet' cannot be read: no such file", where the name is told already.
std::string reason_of(const hidet_error& error);
std::string message_of(const hidet_error& error);
// As a diagnostic of the script that has loaded the package, or wanted to.
void report_package(Work& work, DiagnosticSink& sink, const hidet_error& error, const std::string& path, Span site);

} // namespace hidet::session
