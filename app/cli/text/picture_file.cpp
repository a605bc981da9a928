// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/picture_file.h"

#include "app/cli/output.h"
#include "app/session/figure/svg.h"
#include "app/session/request/source.h"

namespace hidet::cli {

using namespace session;

void add_svg(Verb& verb, std::string& file) {
    verb.text("--svg", file, "FILE", "write the pictures of it to this file as well, as SVG");
}

bool write_pictures(const std::string& file, std::vector<Scene> pictures) {
    if (file.empty())
        return true;
    DiagnosticSink sink;
    if (write_text(file, svg_document(stacked(std::move(pictures), 8)), sink))
        return true;
    std::vector<DiagnosticView> views;
    for (const Diagnostic& diagnostic : sink.all())
        views.push_back(view_of(diagnostic, SourceMap{}));
    print_diagnostics(views);
    return false;
}

} // namespace hidet::cli
