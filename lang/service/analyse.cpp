// SPDX-License-Identifier: Apache-2.0
#include "lang/parse/parser.h"
#include "lang/service/document.h"

namespace hidet::lang::service {

static std::string with_calls(const AnalyseRequest& request) {
    std::string text = request.text;
    for (const std::string& call : request.calls)
        text += (text.empty() || text.back() == '\n' ? "# studio: " : "\n# studio: ") + call + "\n";
    return text;
}

DocumentRef analyse(AnalyseRequest request) {
    auto document = std::make_shared<Document>();
    try {
        std::string read = with_calls(request);
        document->text = std::move(request.text);
        DiagnosticSink sink;
        document->tree = parse(document->sources, document->sources.add(request.name, std::move(read)), sink);
    } catch (...) { // what could be found out so far is worth keeping
        document->is_readable = false;
    }
    return document;
}

const std::string& text_of(const Document& document) {
    return document.text;
}

} // namespace hidet::lang::service
