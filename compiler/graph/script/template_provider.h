// SPDX-License-Identifier: Apache-2.0
// Operator templates of scripts: ours (compiler/schedule/templates) and a user's. A script is read once; it is evaluated
// anew for each operator, on the thread that asks, so that nothing of one evaluation is seen by another.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "compiler/schedule/templates.h"
#include "lang/ast/ast.h"
#include "lang/base/diagnostic.h"
#include "lang/base/source.h"

namespace hidet::lang {
class Evaluator;
}

namespace hidet::graph {

class ScriptGraphs;
struct TemplateDeclaration;

struct TemplateSource {
    std::string name; // "matmul_wgmma.py", or the path of a user's
    std::string text;
    std::string folder = {}; // of what it may import; empty: nothing
    bool is_ours = false;
};
const std::vector<TemplateSource>& our_templates(); // by name

// Where a template is written.
struct TemplateSite {
    std::string file; // as its source is called
    std::string text; // of the file
    int line = 1;     // of the template in it
    bool is_ours = false;
};

// What a template says that it is for.
struct TemplateScope {
    OpId op = OpId::None;
    std::vector<ir::DType> dtypes; // of the first input; empty: any. TF32: float32 that may be rounded to it
    int capability = 0;            // at least: 90
    bool dynamic = false;          // it also takes extents that are known when the kernel runs
    bool takes(const AnchorTask& task) const;
    std::pair<int, bool> rank() const; // which of two goes first: for newer machines; of them, that for tf32
};

class ScriptTemplates : public TemplateProvider {
public:
    // What is said first goes before what comes after it, and takes the place of what has the same name; of ours, those for
    // newer machines go first. The texts become files of the map, and mistakes in them are reported to the sink; both outlive
    // the object, and nobody else writes to them while it schedules.
    ScriptTemplates(SourceMap& sources, DiagnosticSink& sink, const std::vector<TemplateSource>& files);

    // A mistake in a template is reported, and RuleFailed thrown. A schedule that was chosen and does not take the operator
    // is told as a warning, and the others are asked.
    std::optional<AnchorSchedule> schedule(const AnchorTask& task, const std::string& wanted) const override;
    std::vector<std::string> candidates(const AnchorTask& task, std::int64_t level) const override;
    std::vector<ScheduleAttempt> attempt(const AnchorTask& task,
                                         const std::vector<std::string>& schedules) const override;
    std::string source_of(const std::string& schedule) const override;
    std::vector<std::string> names() const;                                 // by_rules first
    std::optional<TemplateSite> site_of(const std::string& schedule) const; // nothing: there is no such template

private:
    struct File {
        std::string stem; // "matmul_wgmma"
        std::string name;
        std::string folder;
        std::string text;
        lang::ast::Module module;
    };
    struct Row {
        std::size_t file = 0;
        std::string name;     // "matmul_wgmma", or "products.matmul" of a file with several
        std::string function; // "matmul"
        TemplateScope scope;
        bool is_ours = false;
        int line = 1; // of the file
    };
    class Evaluation;

    const Row* find(const std::string& schedule) const;                     // null: there is no template of that name
    using Evaluations = std::map<std::size_t, std::unique_ptr<Evaluation>>; // by file; an answer may take several calls
    std::optional<AnchorSchedule> first_to_take(const AnchorTask& task, const std::string& wanted,
                                                Evaluations& open) const;
    std::optional<AnchorSchedule> schedule_by(const Row& row, const AnchorTask& task, const std::string& schedule,
                                              Evaluations& open) const;
    std::unique_lock<std::mutex> lock_imports() const;

    SourceMap& m_sources;
    DiagnosticSink& m_sink;
    mutable std::mutex m_reporting;
    mutable std::mutex m_importing; // held by evaluations where one of them may import files
    bool m_imports = false;
    std::vector<File> m_files;
    std::vector<Row> m_rows;
};

// Those that a script declares while it is evaluated, before ours; of a graph that the script builds. Only on the thread that
// evaluates, unless the script declares none. A mistake in one is a diagnostic of the script.
class DeclaredTemplates : public TemplateProvider {
public:
    DeclaredTemplates(ScriptGraphs& graphs, lang::Evaluator& evaluator);
    bool takes_any_thread() const override;
    std::optional<AnchorSchedule> schedule(const AnchorTask& task, const std::string& wanted) const override;
    std::vector<std::string> candidates(const AnchorTask& task, std::int64_t level) const override;
    std::vector<ScheduleAttempt> attempt(const AnchorTask& task,
                                         const std::vector<std::string>& schedules) const override;
    std::string source_of(const std::string& schedule) const override;

private:
    const TemplateDeclaration* find(const std::string& schedule) const;

    ScriptGraphs& m_graphs;
    lang::Evaluator& m_evaluator;
};

} // namespace hidet::graph
