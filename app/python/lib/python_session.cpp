// SPDX-License-Identifier: Apache-2.0
#include "app/python/lib/python_session.h"

#include <cstdint>
#include <limits>
#include <stdexcept>

#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>

#include "app/session/plan/session_graphs.h"
#include "app/session/script/communication.h"
#include "app/session/script/load.h"
#include "app/session/tune/tuning.h"
#include "compiler/graph/script/language.h"

namespace hidet::python {

using namespace hidet::session;

namespace {

lang::EvalOptions unlimited() {
    constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();
    lang::EvalOptions options;
    options.mode = lang::Mode::Run;
    options.is_program = true;
    options.max_steps = any;
    options.max_bytes = any;
    options.max_ir_nodes = any;
    return options;
}

// Of Ctrl+C: the exception of Python, which goes through us as it is.
bool has_signal() {
    if (TVMFFIEnvCheckSignals() != 0)
        throw tvm::ffi::EnvErrorAlreadySet();
    return false;
}

} // namespace

PythonSession::PythonSession(std::string_view target, Print print) : m_work(work_for("python", nullptr)) {
    const std::optional<Target> known = target_named(target);
    if (!known)
        throw std::invalid_argument(cat("there is no target '", target, "'"));
    m_request.target = *known;
    m_request.tools = open_tools();
    m_request.print = std::move(print);
    m_request.waits = false;
    m_request.is_program = true;
    m_request.watches_calls = false; // by a thread of its own, which a fork would not have
    m_engine = std::make_unique<WatchedEngine>(m_work, m_request);
    m_engine->schedules = std::make_shared<ScriptSchedules>();
    m_engine->packages = std::make_shared<ScriptPackages>(
        m_work, m_request, PackageSharing(*m_engine, [this] { return m_engine->own_gpu(); }));
    lang::EvalOptions options = unlimited();
    const GraphTuner tuner = tuner_of_scripts(m_work, m_engine->schedules);
    options.graphs = graph::make_graph_language(graph_engines(tuner, m_engine->packages));
    options.communication = make_communication({.is_program = true,
                                                .is_cancelled = has_signal,
                                                .gpu = [this] { return m_engine->own_gpu(); },
                                                .tools = m_request.tools});
    m_evaluator = std::make_unique<lang::Evaluator>(m_work.sources, m_work.sink, options, m_engine.get());
    m_evaluator->run(parsed("<hidet>", ""));
}

PythonSession::~PythonSession() = default;

SharedDevice* PythonSession::device() {
    if (session::Gpu* gpu = m_device ? nullptr : m_engine->own_gpu())
        m_device = std::make_unique<SharedDevice>(*gpu);
    return m_device.get();
}

const lang::ast::Module& PythonSession::parsed(const std::string& file, const std::string& text) {
    for (const Parsed& each : m_parsed)
        if (each.file == file && each.text == text)
            return *each.tree;
    Source source;
    source.name = file;
    source.text = text;
    auto tree = std::make_unique<lang::ast::Module>(parse_script(m_work, source, {}));
    m_parsed.push_back({file, text, std::move(tree)});
    return *m_parsed.back().tree;
}

void PythonSession::stand_at(const std::string& file, const std::string& text, int line) {
    const auto [known, is_new] = m_files.try_emplace(file);
    if (is_new || m_work.sources.file(known->second).text() != text)
        known->second = m_work.sources.add(file, text);
    const SourceFile& source = m_work.sources.file(known->second);
    if (line < 1 || line > source.line_count())
        return stand_nowhere();
    const std::uint32_t begin = source.line_start(line);
    m_site = {known->second, begin, begin + static_cast<std::uint32_t>(source.line(line).size())};
}

} // namespace hidet::python
