// SPDX-License-Identifier: Apache-2.0
// Text to document: tokens, tree, names, and what an evaluation without data shows of its values.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lang/host/evaluator.h"
#include "lang/parse/parser.h"
#include "lang/service/document.h"

namespace hidet::lang::service {

namespace {

constexpr std::size_t most_bytes = 2 * 1024 * 1024; // what the parser reads
constexpr std::size_t most_siblings = 500;

std::string with_calls(const AnalyseRequest& request) {
    std::string text = request.text;
    for (const std::string& call : request.calls)
        text += (text.empty() || text.back() == '\n' ? "# studio: " : "\n# studio: ") + call + "\n";
    return text;
}

void read_tokens(Document& document) {
    Faults faults(1);
    Scanned scanned;
    scan(document.text, {0, static_cast<std::uint32_t>(document.text.size())}, scanned, faults);
    document.tokens = std::move(scanned.tokens);
    for (Stretch comment : scanned.comments)
        document.comments.push_back({comment.begin, comment.end});
}

// Ranges behind the text are those of calls that were added to it.
void evaluate(Document& document, const AnalyseRequest& request) {
    EvalOptions options;
    options.mode = Mode::Preview;
    options.max_steps = 3'000'000;
    options.max_bytes = 512ull << 20;
    options.max_ir_nodes = 500'000;
    options.cancelled = request.cancelled;
    options.script_folder = request.folder;
    options.graphs = request.graphs;
    FactRecorder recorder(document.tree.file, document.facts);
    options.observer = &recorder;
    DiagnosticSink sink;
    Evaluator evaluator(document.sources, sink, options, nullptr);
    bool completed = evaluator.run(document.tree).completed;
    if (request.previous && !completed)
        document.facts.take_from(request.previous->facts, request.previous->text, document.text);
}

std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return std::move(text).str();
}

void list_siblings(Document& document, const std::string& folder) {
    std::error_code error;
    for (std::filesystem::directory_iterator at(folder.empty() ? "." : folder, error), end; !error && at != end;
         at.increment(error))
        if (at->path().extension() == ".py" && document.sibling_names.size() < most_siblings)
            document.sibling_names.push_back(at->path().stem().string());
    std::sort(document.sibling_names.begin(), document.sibling_names.end());
}

void read_siblings(Document& document, const std::string& folder) {
    for (const Token& token : document.tokens) {
        if (token.kind != Tok::NAME)
            continue;
        std::string name(document.at({token.begin, token.end}));
        const auto& known = document.sibling_names;
        if (!std::binary_search(known.begin(), known.end(), name) || document.siblings.contains(name))
            continue;
        Tok before = &token == document.tokens.data() ? Tok::LINE_END : (&token - 1)->kind;
        if (before != Tok::FROM && before != Tok::IMPORT && before != Tok::COMMA && before != Tok::DOT)
            continue;
        Sibling sibling;
        sibling.path = (folder == "." ? "" : folder + "/") + name + ".py";
        sibling.sources = std::make_shared<SourceMap>();
        FileId file = sibling.sources->add(sibling.path, read_file(sibling.path));
        DiagnosticSink sink;
        sibling.tree = parse(*sibling.sources, file, sink);
        sibling.names = bind_names(sibling.tree, sibling.sources->file(file).text(), {});
        document.siblings.emplace(name, std::move(sibling));
    }
}

bool can_be_read(const std::string& text) {
    return text.size() <= most_bytes && text.find('\0') == std::string::npos && is_valid_utf8(text);
}

} // namespace

DocumentRef analyse(AnalyseRequest request) {
    auto document = std::make_shared<Document>();
    try {
        std::string read = with_calls(request);
        document->text = std::move(request.text);
        DiagnosticSink sink;
        FileId file = document->sources.add(request.name, std::move(read));
        if (!can_be_read(document->text))
            return document;
        read_tokens(*document);
        document->tree = parse(document->sources, file, sink);
        document->names = bind_names(document->tree, document->text, document->tokens);
        document->is_readable = true;
        if (!request.folder.empty()) {
            list_siblings(*document, request.folder);
            read_siblings(*document, request.folder);
        }
        evaluate(*document, request);
    } catch (...) { // what was found out so far is worth keeping
        ++document->failures;
    }
    return document;
}

int failures_of(const Document& document) {
    return document.failures;
}

const std::string& text_of(const Document& document) {
    return document.text;
}

} // namespace hidet::lang::service
