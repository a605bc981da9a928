// SPDX-License-Identifier: Apache-2.0
// What stops an evaluation from outside, and what is left behind by one.
#include <atomic>
#include <doctest/doctest.h>
#include <string>
#include <thread>

#include "lang/host/evaluator.h"
#include "lang/host/value_observer.h"
#include "lang/parse/parser.h"

using namespace hidet;
using namespace hidet::lang;

namespace {

// The ids of what an evaluation of the text reports.
std::string evaluate(const std::string& text, EvalOptions options, std::string* output = nullptr) {
    SourceMap sources;
    DiagnosticSink sink;
    FileId id = sources.add("script.py", text);
    ast::Module module = parse(sources, id, sink);
    EvalResult result = Evaluator(sources, sink, std::move(options), nullptr).run(module);
    if (output)
        *output = result.output;
    std::string ids;
    for (const Diagnostic& diagnostic : sink.all())
        ids += (ids.empty() ? "" : " ") + std::string(info(diagnostic.id).id);
    return ids;
}

// After some turns of a loop.
class CancelsLater : public ValueObserver {
public:
    std::atomic<bool> cancelled = false;
    void evaluated(const ast::Expr&, const Value&) override {
        if (++m_seen == 1000)
            cancelled = true;
    }
    void bound(Span, const Value&) override {}
    void declared(Span, ir::Scope) override {}

private:
    int m_seen = 0;
};

} // namespace

TEST_CASE("a cancelled evaluation stops, whatever the script catches") {
    CancelsLater canceller;
    EvalOptions options;
    options.cancelled = &canceller.cancelled;
    options.observer = &canceller;
    std::string ids = evaluate("while True:\n    try:\n        x = 1 // 0\n    except:\n        pass\n", options);
    REQUIRE(ids == "cancelled");
}

TEST_CASE("IR nodes are counted against their budget") {
    SourceMap sources;
    DiagnosticSink sink;
    EvalOptions options;
    options.max_ir_nodes = 100;
    Evaluator evaluator(sources, sink, options, nullptr);
    evaluator.charge_nodes(100, {});
    std::string id;
    try {
        evaluator.charge_nodes(1, {});
    } catch (const DiagnosticError& error) {
        id = info(error.diagnostic.id).id;
    }
    REQUIRE(id == "too-many-nodes");
}

TEST_CASE("large strings give their bytes back") {
    EvalOptions options;
    options.max_bytes = 1 << 20;
    REQUIRE(evaluate("for i in range(100):\n    s = 'x' * 500000\n", options) == "");
    REQUIRE(evaluate("a = []\nfor i in range(100):\n    a.append('x' * 500000)\n", options) == "too-much-memory");
}

TEST_CASE("two threads evaluate at once") {
    std::string outputs[2];
    auto run = [&](int i) { evaluate("print(sum(x * x for x in range(20000)))\n", {}, &outputs[i]); };
    std::thread other(run, 1);
    run(0);
    other.join();
    REQUIRE(outputs[0] == "2666466670000\n");
    REQUIRE(outputs[1] == outputs[0]);
}
