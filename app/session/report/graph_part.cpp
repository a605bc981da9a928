// SPDX-License-Identifier: Apache-2.0
#include "app/session/report/graph_part.h"

#include "app/session/picture/graph_picture.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

std::string shared_kernels_text(const ModelGraph& graph) {
    std::size_t shared = 0;
    for (const GraphKernel& kernel : graph.kernels)
        shared += kernel.nodes.size() > 1;
    if (shared == 0)
        return "";
    return shared == 1 ? " One kernel computes several operators; it has a colour."
                       : cat(" ", shared, " kernels compute several operators each; every one has a colour.");
}

} // namespace

void add_graph(Page& page, const ModelSnapshot& snapshot, const std::string& title) {
    page.heading(title);
    for (const DiagnosticView& diagnostic : snapshot.diagnostics)
        page.paragraph(diagnostic.message, diagnostic.severity == Severity::Error ? "bad" : "faint");
    const ModelGraph* graph = snapshot.last();
    if (!graph)
        return;
    const GraphPicture picture = picture_of(*graph, title);
    page.paragraph(
        cat(picture.operators, " operators after the passes",
            picture.folded > 0 ? cat(", of which ", picture.folded, " are in groups that are closed here") : "", ".",
            shared_kernels_text(*graph)));
    page.figure(picture.scene, "tall");
}

} // namespace hidet::session
