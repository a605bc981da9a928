// SPDX-License-Identifier: Apache-2.0
// The evaluator as a library: no script of ours runs, CPython does. It imports our modules, holds their values, and asks for what
// Python's data model asks of them. There are no budgets and no sandbox: it is the user's own process.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "app/python/lib/call_watch.h"
#include "app/session/execute/shared_device.h"
#include "app/session/work/work.h"
#include "lang/host/evaluator.h"

namespace hidet::python {

class PythonSession {
public:
    using Print = std::function<void(std::string_view)>;
    // `target` is a word of `--target`; `print` gets what kernels print. Throws std::invalid_argument where there is no such target.
    PythonSession(std::string_view target, Print print);
    ~PythonSession();

    lang::Evaluator& evaluator() { return *m_evaluator; }
    session::Work& work() { return m_work; }
    std::recursive_mutex& mutex() { return m_mutex; }
    WatchedEngine& engine() { return *m_engine; }
    const session::RunRequest& request() const { return m_request; }

    // The GPU that is computed on; null: there is none, and tensors on 'cuda' are emulated.
    session::SharedDevice* device();
    Result<void> upload_written() { return m_device ? m_device->upload_written() : Result<void>{}; }

    // A file of the user's, read once for each text that it has.
    const lang::ast::Module& parsed(const std::string& file, const std::string& text);

    // Where what is called from now on stands in the user's program.
    void stand_at(const std::string& file, const std::string& text, int line);
    void stand_nowhere() { m_site = {}; }
    Span site() const { return m_site; }

private:
    struct Parsed {
        std::string file, text;
        std::unique_ptr<lang::ast::Module> tree;
    };

    std::recursive_mutex m_mutex;
    session::Work m_work;
    session::RunRequest m_request;
    std::unique_ptr<WatchedEngine> m_engine;
    std::unique_ptr<session::SharedDevice> m_device;
    std::unique_ptr<lang::Evaluator> m_evaluator;
    std::vector<Parsed> m_parsed;
    std::map<std::string, FileId> m_files; // by name, of which lines stand at
    Span m_site;
};

} // namespace hidet::python
