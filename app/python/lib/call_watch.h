// SPDX-License-Identifier: Apache-2.0
// What becomes of the calls of a thread that wants to look at them: hidet.emulate and hidet.explain. While one is under way, what
// its thread calls goes to it and is not run as usual; calls of other threads are.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "app/session/explain/explain.h"
#include "app/session/script/engine.h"

namespace hidet::python {

struct CallWatch {
    virtual ~CallWatch() = default;
    // As Executor::call, of a module that has its IR.
    virtual bool call(session::Executable& module, const session::FunctionCall& call, session::ReturnValue& result,
                      DiagnosticSink& sink) = 0;
};

class WatchedEngine : public session::ScriptEngine {
public:
    using ScriptEngine::ScriptEngine;
    bool call(lang::BuiltModule& module, const std::string& function, const std::vector<lang::CallArgument>& args,
              Span site, session::ReturnValue& result, DiagnosticSink& sink) override;
    // Of this thread; null: as usual.
    void watch(CallWatch* watch);
    bool is_watched() const;

private:
    mutable std::mutex m_mutex;
    std::map<std::thread::id, CallWatch*> m_watches;
};

} // namespace hidet::python
