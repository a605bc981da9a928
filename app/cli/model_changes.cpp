// SPDX-License-Identifier: Apache-2.0
#include "app/cli/model_options.h"
#include "app/session/model/compare/graph_changes.h"

namespace hidet::cli {

using namespace session;

namespace {

struct ModelChangesOptions {
    ModelOptions model;
    ModelChangesRequest request;
};

int show_changes(const ModelChangesOptions& options, const Cancelled& cancelled) {
    ModelChangesRequest request = options.request;
    if (!fill(options.model, cancelled, request))
        return exit_usage;
    const ModelChanges changes = model_changes(request);
    return report(options.model, changes, [&] {
        if (changes.status == Status::Ok)
            print_text(changes_text(changes));
    });
}

} // namespace

void add_model_changes(Verb& model, Action& chosen) {
    auto [action, options] =
        add_action(model, "changes", "what the passes have made of the operators, by groups", chosen, show_changes);
    action.text("--from", options.request.from, "PASS", "beside the graph after this pass (import)");
    action.text("--to", options.request.to, "PASS", "the graph after this pass (the last one)");
    action
        .number("--depth", options.request.depth, "N", "groups within N others stay closed: 0 has the outermost alone")
        .between(0, 100);
    action.flag("--kernels", options.request.by_kernel, "operators that share a kernel are groups, too");
}

} // namespace hidet::cli
