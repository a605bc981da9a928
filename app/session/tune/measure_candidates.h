// SPDX-License-Identifier: Apache-2.0
// Schedules of kernels, compiled together and measured on a GPU as a model runs them: many launches in one CUDA graph, each
// with weights that are not in the cache, the candidates in turns. Results are judged as those of a call beside another one
// before a time counts. A call of a factory is measured alike, on tensors with random numbers; if its kernels are the CPU's,
// by the clock of the host.
#pragma once

#include <memory>

#include "app/session/work/work.h"
#include "compiler/tune/search.h"
#include "lang/host/engine.h"

namespace hidet::session {

class CandidateMeasurer : public tune::Measurer {
public:
    // All outlive it.
    CandidateMeasurer(Work& work, lang::Engine& engine, const graph::TemplateProvider& templates,
                      const artifact::TargetSpec& target);
    ~CandidateMeasurer() override;
    Result<void> measure(std::vector<tune::Measurement>& measurements,
                         const std::function<void(tune::Measurement&)>& done) override;

private:
    struct Step;
    struct Candidate;
    struct Bench;

    std::unique_ptr<Bench> prepare(const tune::Measurement& measurement);
    void plan(std::vector<std::unique_ptr<Bench>>& benches);
    void build(std::vector<std::unique_ptr<Bench>>& benches);
    ir::ModuleRef module_of(const graph::Graph& call, const std::string& schedule) const; // by a factory
    static void take_arguments(const Candidate& reference, Candidate& candidate);
    Result<void> call(const Candidate& reference, Candidate& candidate);
    static void take_results(Candidate& candidate, const std::vector<lang::CallArgument>& args, bool are_guarded);
    // Empty: there is none.
    static std::string mistake_in(const Bench& bench, const Candidate& candidate, const Candidate& reference);
    static Result<void> spread_out(Step& step);
    Result<void> run(Bench& bench);
    Result<void> run(const Bench& bench, Candidate& candidate);
    Result<std::vector<Step>> steps_of(Candidate& candidate);
    Result<void> time(Bench& bench, tune::Measurement& measurement);

    Work& m_work;
    lang::Engine& m_engine;
    const graph::TemplateProvider& m_templates;
    const artifact::TargetSpec& m_target;
};

} // namespace hidet::session
