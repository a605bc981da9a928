// SPDX-License-Identifier: Apache-2.0
// Packages that a script saves and loads while it runs. It writes below one folder, which the request names, and replaces no file
// but packages; what it loads comes from there or from below its own folder.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "app/session/package/package_writer.h"
#include "app/session/work/work.h"
#include "compiler/graph/script/graph_engine.h"
#include "runtime/toolchain/files.h"

struct hidet_error;

namespace hidet::session {

class ScriptPackages : public graph::GraphStore {
public:
    ScriptPackages(Work& work, const RunRequest& request) : m_work(work), m_request(request) {}

    bool save(const graph::CompiledGraph& compiled, const std::string& path, Span site, DiagnosticSink& sink) override;
    std::optional<graph::LoadedGraph> load(const graph::LoadOptions& options, DiagnosticSink& sink) override;

private:
    void refuse(const hidet_error& error, const graph::LoadOptions& options, DiagnosticSink& sink);
    bool open_folder(const std::string& path, Span site, DiagnosticSink& sink);
    std::optional<std::string> place_of(const std::string& path, Span site, DiagnosticSink& sink); // to write to
    std::string found_at(const std::string& path) const;                                           // to read from

    Work& m_work;
    const RunRequest& m_request;
    std::string m_folder; // empty: not known yet
    std::unique_ptr<toolchain::TemporaryFolder> m_temporary;
    std::set<std::string> m_saved; // paths in the folder
};

} // namespace hidet::session
