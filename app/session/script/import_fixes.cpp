// SPDX-License-Identifier: Apache-2.0
#include "app/session/script/import_fixes.h"

#include <algorithm>

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

void offer(Diagnostic& mistake, const service::Document& document) {
    for (service::ImportFix& fix : service::import_fixes(document, mistake.span.begin))
        mistake.fixes.push_back({{file_of_script, fix.edit.range.begin, fix.edit.range.end},
                                 std::move(fix.edit.text),
                                 std::move(fix.title)});
    const std::string& text = service::text_of(document);
    if (!mistake.fixes.empty() || mistake.span.end > text.size())
        return;
    std::string note = where_else(text.substr(mistake.span.begin, mistake.span.end - mistake.span.begin));
    if (!note.empty())
        mistake.notes.push_back({{}, std::move(note)});
}

} // namespace

void offer_imports(Work& work, const service::Document& document) {
    for (Diagnostic& mistake : work.sink.take()) {
        if (is_of_unknown_name(mistake))
            offer(mistake, document);
        work.sink.report(std::move(mistake));
    }
}

void offer_imports(Work& work, const Source& source) {
    if (std::ranges::none_of(work.sink.all(), is_of_unknown_name))
        return;
    offer_imports(work, *service::read({source.text, source.name, source.folder, {}, nullptr, nullptr}));
}

} // namespace hidet::session
