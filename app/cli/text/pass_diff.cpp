// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/pass_diff.h"

#include <algorithm>

#include "app/session/view/blame.h"
#include "app/session/view/diff.h"

namespace hidet::cli {

using namespace session;

namespace {

constexpr const char* before_all = "script";

bool is_pass(const std::string& name) {
    std::vector<PassDescription> passes = describe_passes();
    return name == before_all ||
           std::any_of(passes.begin(), passes.end(), [&](const PassDescription& pass) { return pass.name == name; });
}

} // namespace

// The last time that it ran; -1: it did not, because a mistake stopped the passes before it.
int number_of_pass(const ModuleSnapshot& module, const std::string& name) {
    int number = -1;
    for (const PassSnapshot& pass : module.passes)
        if (pass.name == name)
            number = pass.number;
    return number;
}

void require_passes(const std::vector<std::string>& names, PreviewResult& result) {
    for (const std::string& name : names)
        if (!is_pass(name)) {
            result.modules.clear();
            result.status = Status::WrongUsage;
            result.diagnostics.push_back(view_of(no_such_pass(name), SourceMap{}));
            return;
        }
}

std::string pass_diff(const std::vector<std::string>& names, const ModuleSnapshot& module) {
    const std::string &left = names[0], &right = names[1];
    auto before = text_after(module, number_of_pass(module, left));
    auto after = text_after(module, number_of_pass(module, right));
    if (!before || !after)
        return "";
    auto changes = diff(before->text, after->text, {.words = false});
    return unified(before->text, after->text, *changes, {cat("after ", left), cat("after ", right)});
}

} // namespace hidet::cli
