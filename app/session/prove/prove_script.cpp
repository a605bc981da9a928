// SPDX-License-Identifier: Apache-2.0
#include "app/session/prove/prove_script.h"

#include <chrono>

#include "app/session/explain/found_kernel.h"
#include "app/session/tools/tools.h"
#include "app/session/work/work.h"
#include "compiler/prove/prove.h"
#include "lang/base/finding_words.h"
#include "lang/base/ranges.h"
#include "lang/base/text.h"
#include "runtime/toolchain/z3.h"

namespace hidet::session {

namespace {

using compiler::prove::Claim;
using compiler::prove::Doubt;
using compiler::prove::ThreadAt;

std::string thread_text(const ThreadAt& at) {
    const auto tuple = [](const std::array<std::int64_t, 3>& of) {
        return tuple_text({of.begin(), of.end()}, '(', ')');
    };
    return cat("block ", tuple(at.block), ", thread ", tuple(at.thread));
}

std::string sizes_text(const Doubt& doubt) {
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
                   " (", thread_text(example.first), sizes_text(doubt), ")");
    case Claim::Races:
        return cat("races on ", element, ": one thread ", verb_of(doubt.others_writes), " it (",
                   thread_text(example.first), "), another one ", verb_of(doubt.writes), " it (",
                   thread_text(example.second), "), and no barrier is between", sizes_text(doubt));
    case Claim::Barriers:
        return cat("has a barrier that ", thread_text(example.first), " reaches and thread ",
                   tuple_text({example.second.thread.begin(), example.second.thread.end()}, '(', ')'), " does not",
                   sizes_text(doubt));
    case Claim::Alignment:
        return cat("reaches ", element, " at an address that is not a multiple of the access (",
                   thread_text(example.first), sizes_text(doubt), ")");
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

class ScriptProver {
public:
    ScriptProver(Work& work, const ProveRequest& request, const toolchain::Z3& solver)
        : m_work(work), m_request(request), m_solver(solver) {}

    ProvedKernel prove_kernel(const FoundKernel& found) {
        double seconds = 0;
        int unanswered = 0;
        const compiler::prove::Ask ask = [&](const std::string& question) {
            if (unanswered >= m_request.unanswered)
                return std::string();
            const auto start = std::chrono::steady_clock::now();
            std::string out = m_solver.ask(question);
            seconds += milliseconds_since(start) / 1000;
            unanswered += out.empty() ? 1 : 0;
            return out;
        };
        compiler::prove::ProofLimits limits;
        limits.cancelled = m_work.cancelled;
        const compiler::prove::KernelProof proof = compiler::prove::prove(*found.module, *found.kernel, ask, limits);
        ProvedKernel out;
        out.module = found.number;
        out.name = found.kernel->name;
        out.place = place_of(found.kernel->origin.span, m_work.sources);
        for (const Claim claim : compiler::prove::all_claims)
            out.claims.push_back(
                {claim_name(claim), verdict_name(proof.of(claim)), proof.places[static_cast<std::size_t>(claim)]});
        for (const Doubt& doubt : proof.doubts) {
            out.doubts.push_back(view_of_doubt(doubt, m_work.sources));
            if (doubt.verdict == compiler::prove::Verdict::Refuted)
                m_work.sink.report(Diagnostic::make(DiagId::ProofRefuted, doubt.at.span, found.kernel->name,
                                                    out.doubts.back().sentence));
        }
        out.questions = proof.questions;
        out.seconds = seconds;
        return out;
    }

private:
    Work& m_work;
    const ProveRequest& m_request;
    const toolchain::Z3& m_solver;
};

} // namespace

ProveResult prove_script(const ProveRequest& request) {
    Work work = work_for("prove", request.preview);
    ProveResult out;
    guarded(work, [&] {
        if (!request.preview.tools) {
            work.sink.report(Diagnostic::make(DiagId::SolverMissing, {}, "no tool is asked"));
            work.status = Status::Environment;
            return;
        }
        const toolchain::Finding found = request.preview.tools->toolchain().locate(toolchain::Tool::Z3);
        if (found.state != toolchain::State::Found) {
            work.sink.report(Diagnostic::make(DiagId::SolverMissing, {}, cat(found.problem, ": ", found.advice)));
            work.status = Status::Environment;
            return;
        }
        const Result<std::shared_ptr<toolchain::Z3>> solver = toolchain::Z3::open(found.path);
        if (!solver) {
            work.sink.report(Diagnostic::make(DiagId::SolverMissing, {}, solver.error().message));
            work.status = Status::Environment;
            return;
        }
        ExplainRequest explained;
        explained.preview = request.preview;
        ScriptProver prover(work, request, *solver.value());
        const std::vector<FoundKernel> kernels = find_kernels(work, explained, out.modules_built);
        work.enter("proving");
        for (const FoundKernel& kernel : kernels)
            if (!work.stopped())
                out.kernels.push_back(prover.prove_kernel(kernel));
    });
    finish(work, out);
    return out;
}

} // namespace hidet::session
