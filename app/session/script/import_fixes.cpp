// SPDX-License-Identifier: Apache-2.0
#include "app/session/script/import_fixes.h"

#include <algorithm>
#include <set>

#include "lang/service/service.h"

namespace hidet::session {

namespace service = lang::service;

namespace {

constexpr FileId file_of_script = 1;

bool is_of_unknown_name(const Diagnostic& mistake) {
    const bool is_such = mistake.id == DiagId::UnknownName || mistake.id == DiagId::UnknownModuleName ||
                         mistake.id == DiagId::UnknownImport;
    return is_such && mistake.span.file == file_of_script;
}

// Where no single change would do: `hidet.lang.sqrt` in a text that does not import 'math', or a name that is spelt wrongly.
std::string where_else(const std::string& text) {
    constexpr std::size_t most = 3;
    std::string name = text;
    std::vector<std::string> homes = service::modules_with(name);
    if (homes.empty())
        homes = service::modules_with(name = service::known_name_like(text));
    std::vector<std::string> modules;
    for (const std::string& module : homes)
        if (modules.size() < most && !module.empty())
            modules.push_back(cat("'", module, "'"));
    if (modules.empty())
        return "";
    std::string out = cat("'", name, "' is in ", modules[0]);
    for (std::size_t i = 1; i < modules.size(); ++i)
        out += (i + 1 == modules.size() ? " and " : ", ") + modules[i];
    return out;
}

void add(Diagnostic& mistake, const service::ImportFix& fix) {
    mistake.fixes.push_back({{file_of_script, fix.edit.range.begin, fix.edit.range.end}, fix.edit.text, fix.title});
}

void offer(Diagnostic& mistake, const service::Document& document, const std::optional<service::ImportFix>& all) {
    const std::vector<service::ImportFix> fixes = service::import_fixes(document, mistake.span.begin);
    const std::size_t guess = mistake.message.find("; did you mean");
    if (!fixes.empty() && guess != std::string::npos && mistake.message.find("' of '", guess) == std::string::npos) {
        mistake.message.resize(guess); // a builtin that is spelt nearly so
        mistake.fixes.clear();
    }
    if (!fixes.empty() && all && mistake.id == DiagId::UnknownName)
        add(mistake, *all);
    for (const service::ImportFix& fix : fixes)
        add(mistake, fix);
    const std::string& text = service::text_of(document);
    if (!mistake.fixes.empty() || mistake.span.end > text.size())
        return;
    std::string note = where_else(text.substr(mistake.span.begin, mistake.span.end - mistake.span.begin));
    if (!note.empty())
        mistake.notes.push_back({{}, std::move(note)});
}

// Evaluation ends a statement at its first unknown name. The others in the statement, a whole function, are told with it.
void add_unknown_names(std::vector<Diagnostic>& mistakes, const service::Document& document) {
    std::set<std::uint32_t> told;
    for (const Diagnostic& mistake : mistakes)
        if (mistake.id == DiagId::UnknownName && mistake.span.file == file_of_script)
            told.insert(mistake.span.begin);
    if (told.empty())
        return;
    const std::vector<service::UnknownName> unknown = service::unknown_names(document);
    std::set<std::size_t> statements;
    for (const service::UnknownName& name : unknown)
        if (told.contains(name.range.begin))
            statements.insert(name.statement);
    const std::string& text = service::text_of(document);
    for (const auto& [range, statement] : unknown)
        if (statements.contains(statement) && !told.contains(range.begin))
            mistakes.push_back(Diagnostic::make(DiagId::UnknownName, {file_of_script, range.begin, range.end},
                                                text.substr(range.begin, range.end - range.begin)));
}

} // namespace

void offer_imports(Work& work, const service::Document& document) {
    std::vector<Diagnostic> mistakes = work.sink.take();
    add_unknown_names(mistakes, document);
    const std::optional<service::ImportFix> all =
        std::ranges::any_of(mistakes, is_of_unknown_name) ? service::import_all(document) : std::nullopt;
    for (Diagnostic& mistake : mistakes) {
        if (is_of_unknown_name(mistake))
            offer(mistake, document, all);
        work.sink.report(std::move(mistake));
    }
}

void offer_imports(Work& work, const Source& source) {
    if (std::ranges::none_of(work.sink.all(), is_of_unknown_name))
        return;
    offer_imports(work, *service::read({source.text, source.name, source.folder, {}, nullptr, nullptr}));
}

} // namespace hidet::session
