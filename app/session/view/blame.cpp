// SPDX-License-Identifier: Apache-2.0
#include "app/session/view/blame.h"

#include "app/session/view/diff.h"
#include "lang/base/ranges.h"

namespace hidet::session {

static const PassSnapshot* find_pass(const ModuleSnapshot& module, const std::string& name) {
    return first_in(module.passes, [&](const PassSnapshot& pass) { return pass.number > 0 && pass.name == name; });
}

std::optional<Blame> blame(const ModuleSnapshot& module, const TextSnapshot& text, int line) {
    if (line < 1 || static_cast<std::size_t>(line) > text.lines.size())
        return {};
    const OriginView& origin = text.lines[static_cast<std::size_t>(line - 1)];
    if (!origin.place.known() && origin.pass.empty())
        return {};
    Blame blame{origin.pass, "", origin.place};
    if (const PassSnapshot* pass = find_pass(module, origin.pass))
        blame.summary = pass->summary;
    return blame;
}

std::shared_ptr<const TextSnapshot> text_after(const ModuleSnapshot& module, int number) {
    std::shared_ptr<const TextSnapshot> text;
    for (const PassSnapshot& pass : module.passes)
        if (pass.number <= number && pass.module)
            text = pass.module;
    return text;
}

std::optional<std::vector<PassChange>> pass_changes(const ModuleSnapshot& module, const std::atomic<bool>* cancelled) {
    std::vector<PassChange> out;
    const TextSnapshot* before = nullptr;
    for (const PassSnapshot& pass : module.passes) {
        PassChange change{pass.number, pass.name, pass.summary, pass.changed, 0, 0, pass.ms};
        if (before && pass.module) {
            DiffOptions options;
            options.words = false;
            options.cancelled = cancelled;
            auto lines = diff(before->text, pass.module->text, options);
            if (!lines)
                return {};
            change.added = lines->added;
            change.removed = lines->removed;
        }
        if (pass.module)
            before = pass.module.get();
        if (pass.number > 0)
            out.push_back(std::move(change));
    }
    return out;
}

} // namespace hidet::session
