// SPDX-License-Identifier: Apache-2.0
#include "app/python/lib/call_watch.h"

namespace hidet::python {

bool WatchedEngine::call(lang::BuiltModule& built, const std::string& function,
                         const std::vector<lang::CallArgument>& args, Span site, session::ReturnValue& result,
                         DiagnosticSink& sink) {
    CallWatch* watch = nullptr;
    {
        const std::lock_guard lock(m_mutex);
        if (const auto found = m_watches.find(std::this_thread::get_id()); found != m_watches.end())
            watch = found->second;
    }
    if (!watch)
        return ScriptEngine::call(built, function, args, site, result, sink);
    auto& module = static_cast<session::Executable&>(built);
    if (!module.script) {
        sink.report(DiagId::BadValue, site, cat("'", function, "' is of a package, which has no IR to look at"));
        return false;
    }
    return watch->call(module, {function, args, site, symbols}, result, sink);
}

void WatchedEngine::watch(CallWatch* watch) {
    const std::lock_guard lock(m_mutex);
    if (watch)
        m_watches[std::this_thread::get_id()] = watch;
    else
        m_watches.erase(std::this_thread::get_id());
}

bool WatchedEngine::is_watched() const {
    const std::lock_guard lock(m_mutex);
    return m_watches.contains(std::this_thread::get_id());
}

} // namespace hidet::python
