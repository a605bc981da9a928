// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/kernel_prover.h"

#include <chrono>

#include "compiler/prove/prove.h"
#include "lang/base/finding_words.h"
#include "lang/base/ranges.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr double worth_a_file = 4; // milliseconds of the solver

using compiler::prove::Claim;
using compiler::prove::Doubt;
using compiler::prove::ThreadAt;

std::string thread_text(const ThreadAt& at) {
    const auto tuple = [](const std::array<std::int64_t, 3>& of) {
        return tuple_text({of.begin(), of.end()}, '(', ')');
    };
    return cat("block ", tuple(at.block), ", thread ", tuple(at.thread));
}

std::string sizes_of_example(const Doubt& doubt) {
    const auto& sizes = doubt.example->sizes;
    if (sizes.empty())
        return "";
    return cat(", for ",
               join(transformed(sizes, [](const auto& size) { return cat(size.first, " = ", size.second); }), ", "));
}

const char* verb_of(bool writes) {
    return writes ? "writes" : "reads";
}

// What is wrong, with the threads and sizes of the example.
std::string example_text(const Doubt& doubt) {
    const auto& example = *doubt.example;
    const std::string element =
        example.index.empty() ? cat("'", doubt.tensor, "'") : element_text(doubt.tensor, example.index);
    switch (doubt.claim) {
    case Claim::Bounds:
        return cat(verb_of(doubt.writes), " ", element, " outside of its ",
                   example.shape.empty() ? std::string("memory") : cat("shape ", tuple_text(example.shape, '[', ']')),
                   " (", thread_text(example.first), sizes_of_example(doubt), ")");
    case Claim::Races:
        return cat("races on ", element, ": one thread ", verb_of(doubt.others_writes), " it (",
                   thread_text(example.first), "), another one ", verb_of(doubt.writes), " it (",
                   thread_text(example.second), "), and no barrier is between", sizes_of_example(doubt));
    case Claim::Barriers:
        return cat("has a barrier that ", thread_text(example.first), " reaches and thread ",
                   tuple_text({example.second.thread.begin(), example.second.thread.end()}, '(', ')'), " does not",
                   sizes_of_example(doubt));
    case Claim::Alignment:
        return cat("reaches ", element, " at an address that is not a multiple of the access (",
                   thread_text(example.first), sizes_of_example(doubt), ")");
    }
    return "";
}

DoubtView view_of_doubt(const Doubt& doubt, const SourceMap& sources) {
    DoubtView out;
    out.claim = claim_name(doubt.claim);
    out.verdict = verdict_name(doubt.verdict);
    out.place = place_of(doubt.at.span, sources);
    if (doubt.claim == Claim::Races && doubt.beside.span.file != doubt.at.span.file)
        out.beside = {};
    else if (doubt.claim == Claim::Races)
        out.beside = place_of(doubt.beside.span, sources);
    out.tensor = doubt.tensor;
    out.sentence = doubt.verdict == compiler::prove::Verdict::Refuted ? example_text(doubt)
                   : doubt.example ? cat("depends on ", doubt.why, "; perhaps it ", example_text(doubt))
                                   : doubt.why;
    return out;
}

} // namespace

Result<KernelProver> KernelProver::open(std::shared_ptr<Tools> tools, int unanswered) {
    if (!tools)
        return Error{"solver-missing", "no tool is asked"};
    const toolchain::Finding found = tools->toolchain().locate(toolchain::Tool::Z3);
    if (found.state != toolchain::State::Found)
        return Error{"solver-missing", cat(found.problem, ": ", found.advice)};
    auto solver = toolchain::Z3::open(found.path);
    if (!solver)
        return Error{"solver-missing", solver.error().message};
    KernelProver out;
    out.m_tools = std::move(tools);
    out.m_solver = std::move(solver).value();
    out.m_unanswered = unanswered;
    out.m_recipe = out.m_solver->recipe();
    return out;
}

std::string KernelProver::answer(const std::string& question, const std::atomic<bool>* cancelled,
                                 double& seconds) const {
    toolchain::Cache& cache = m_tools->toolchain().cache();
    const std::string key = toolchain::cache_key({"answer of a solver", m_recipe, question});
    if (auto known = cache.load(key))
        return *known;
    const auto start = std::chrono::steady_clock::now();
    toolchain::SolverAnswer out;
    if (toolchain::Solver* const elsewhere = m_tools->solver()) {
        Result<toolchain::SolverAnswer> answered = elsewhere->solve(question, cancelled);
        out = answered ? std::move(answered).value() : toolchain::SolverAnswer{"", true};
    } else {
        out = m_solver->ask(question);
    }
    const double milliseconds = milliseconds_since(start);
    seconds += milliseconds / 1000;
    if (!out.is_by_clock && milliseconds > worth_a_file)
        (void)cache.store(key, out.text); // a cache that is full costs time, never a result
    return out.text;
}

ProvedKernel KernelProver::prove(const FoundKernel& found, const Work& work, DiagnosticSink* refuted) const {
    double seconds = 0;
    int gave_up = 0;
    const compiler::prove::Ask ask = [&](const std::string& question) {
        if (gave_up >= m_unanswered)
            return std::string();
        std::string out = answer(question, work.cancelled, seconds);
        gave_up += out.empty() ? 1 : 0;
        return out;
    };
    compiler::prove::ProofLimits limits;
    limits.cancelled = work.cancelled;
    const compiler::prove::KernelProof proof = compiler::prove::prove(*found.module, *found.kernel, ask, limits);
    ProvedKernel out;
    out.module = found.number;
    out.name = found.kernel->name;
    out.place = place_of(found.kernel->origin.span, work.sources);
    for (const Claim claim : compiler::prove::all_claims)
        out.claims.push_back(
            {claim_name(claim), verdict_name(proof.of(claim)), proof.places[static_cast<std::size_t>(claim)]});
    for (const Doubt& doubt : proof.doubts) {
        out.doubts.push_back(view_of_doubt(doubt, work.sources));
        if (refuted && doubt.verdict == compiler::prove::Verdict::Refuted)
            refuted->report(
                Diagnostic::make(DiagId::ProofRefuted, doubt.at.span, found.kernel->name, out.doubts.back().sentence));
    }
    out.questions = proof.questions;
    out.seconds = seconds;
    return out;
}

} // namespace hidet::session
