// SPDX-License-Identifier: Apache-2.0
// Graphs and modules that a script saves and loads while it runs. It writes below one folder, which the request names, and replaces
// no file but such ones; what it loads comes from there or from below its own folder. A program of the user's says itself where.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "app/session/package/package_module.h"
#include "app/session/package/package_sharing.h"
#include "app/session/package/package_writer.h"
#include "app/session/work/work.h"
#include "compiler/graph/script/graph_engine.h"
#include "runtime/toolchain/files.h"

namespace hidet::session {

class ScriptPackages : public graph::GraphStore {
public:
    // The engine, which may be one of several processes, and its GPU outlive it.
    ScriptPackages(Work& work, const RunRequest& request, PackageSharing sharing)
        : m_work(work), m_request(request), m_sharing(std::move(sharing)), m_modules(work, request) {}

    bool save(const graph::CompiledGraph& compiled, const std::string& path, Span site, DiagnosticSink& sink) override;
    std::optional<graph::LoadedGraph> load(const graph::LoadOptions& options, DiagnosticSink& sink) override;
    bool save_graph(const graph::ScriptGraph& graph, const std::string& path, Span site, DiagnosticSink& sink) override;
    std::optional<graph::ScriptGraph> load_graph(const std::string& path, Span site, DiagnosticSink& sink) override;

    // `script`: as the module was written. Code for a GPU is for that one, unless the module says another.
    bool save_module(const ir::ModuleRef& script, const artifact::TargetSpec& gpu, const std::string& path, Span site,
                     DiagnosticSink& sink);
    Ref<Executable> load_module(const lang::LoadOptions& options, DiagnosticSink& sink);

private:
    using MakePlans = std::function<bool(Work&, const ImageRequest&, PackageContents&)>; // false: the work says why
    std::string what_is_wrong(const std::string& path) const; // why the script may not use it; empty: it may
    void keep(const std::string& path, Span site, DiagnosticSink& sink);
    bool write(const std::string& path, Span site, DiagnosticSink& sink, const MakePlans& make);
    std::optional<PackageOptions> to_open(const lang::LoadOptions& options, DiagnosticSink& sink) const;
    bool open_folder(const std::string& path, Span site, DiagnosticSink& sink);
    std::optional<std::string> place_of(const std::string& path, Span site, DiagnosticSink& sink); // to write to
    std::string found_at(const std::string& path) const;                                           // to read from

    Work& m_work;
    const RunRequest& m_request;
    PackageSharing m_sharing;
    PackageExecutor m_modules;
    std::string m_folder; // empty: not known yet
    std::unique_ptr<toolchain::TemporaryFolder> m_temporary;
    std::set<std::string> m_saved; // paths in the folder
};

} // namespace hidet::session
