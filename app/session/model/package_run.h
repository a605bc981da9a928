// SPDX-License-Identifier: Apache-2.0
// A package, run by the library that runs packages everywhere else too (runtime/capi).
#pragma once

#include <memory>

#include "app/session/model/model.h"
#include "app/session/model/trace.h"
#include "app/session/plan/plan_runner.h"
#include "app/session/work/work.h"

namespace hidet::session {

bool is_package(const std::string& path); // by its name

class PackageRun {
public:
    // For the request's target; `auto` is the GPU where there is one and the package has code for it. Null: the work says why.
    static std::unique_ptr<PackageRun> open(Work& work, const ModelRunRequest& request);
    ~PackageRun();

    const artifact::LaunchPlan& plan() const; // whose inputs and outputs are the package's
    bool bind(const Tensors& inputs);         // which outlive the runs
    bool run();                               // until it has ended
    bool has_graph() const;                   // from the second run on
    std::string where() const;
    std::vector<TraceEvent> take_events(); // of the steps since the last call, if the request wants a trace
    std::optional<Tensors> outputs();

private:
    struct State;
    explicit PackageRun(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace hidet::session
