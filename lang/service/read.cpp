// SPDX-License-Identifier: Apache-2.0
// Text to document: tokens, tree, names; then what an evaluation showed of its values.
#include <algorithm>
#include <filesystem>

#include "lang/host/script_file.h"
#include "lang/host/script_text.h"
#include "lang/parse/limits.h"
#include "lang/parse/parser.h"
#include "lang/service/analysis.h"
#include "lang/service/document.h"

namespace hidet::lang::service {

namespace {

constexpr std::size_t most_siblings = 500;

void read_tokens(Reading& reading) {
    Faults faults(1);
    Scanned scanned;
    scan(reading.text, {0, static_cast<std::uint32_t>(reading.text.size())}, scanned, faults);
    reading.tokens = std::move(scanned.tokens);
    for (Stretch comment : scanned.comments)
        reading.comments.push_back({comment.begin, comment.end});
}

void list_siblings(Reading& reading, const std::string& folder, const Buffers& buffers) {
    std::error_code error;
    for (std::filesystem::directory_iterator at(folder.empty() ? "." : folder, error), end; !error && at != end;
         at.increment(error))
        if (at->path().extension() == ".py" && reading.sibling_names.size() < most_siblings)
            reading.sibling_names.push_back(at->path().stem().string());
    for (const auto& [path, text] : buffers) {
        std::string name = std::filesystem::path(path).stem().string();
        if (path == path_of_import(folder, name))
            reading.sibling_names.push_back(std::move(name));
    }
    auto& names = reading.sibling_names;
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
}

ScriptFile read_file(const std::string& folder, const std::string& path, const Buffers& buffers) {
    if (auto open = buffers.find(path); open != buffers.end())
        return {ScriptFile::State::Read, open->second};
    return read_script_file(folder, path);
}

void read_sibling(Reading& reading, const std::string& folder, const std::string& name, const Buffers& buffers) {
    Sibling sibling;
    sibling.path = path_of_import(folder, name);
    ScriptFile read = read_file(folder, sibling.path, buffers);
    if (read.state == ScriptFile::State::Read) {
        FileId file = reading.sources.add(sibling.path, std::move(read.text));
        sibling.text = reading.sources.file(file).text();
        DiagnosticSink ignored; // the evaluation says them
        sibling.tree = parse(reading.sources, file, ignored);
        sibling.names = bind_names(sibling.tree, sibling.text, {});
    }
    reading.siblings.emplace(name, std::move(sibling));
}

void read_siblings(Reading& reading, const std::string& folder, const Buffers& buffers) {
    for (const Token& token : reading.tokens) {
        if (token.kind != Tok::NAME)
            continue;
        std::string name = reading.text.substr(token.begin, token.end - token.begin);
        const auto& known = reading.sibling_names;
        if (!std::binary_search(known.begin(), known.end(), name) || reading.siblings.contains(name))
            continue;
        Tok before = &token == reading.tokens.data() ? Tok::LINE_END : (&token - 1)->kind;
        if (before == Tok::FROM || before == Tok::IMPORT || before == Tok::COMMA || before == Tok::DOT)
            read_sibling(reading, folder, name, buffers);
    }
}

// What siblings import in turn, the evaluation reads: it finds a file that is open among the sources.
void add_buffers(Reading& reading, const std::string& folder, const Buffers& buffers) {
    for (const auto& [path, text] : buffers) {
        bool is_read = path == reading.sources.file(1).name();
        for (const auto& [name, sibling] : reading.siblings)
            is_read = is_read || sibling.path == path;
        if (!is_read && path.starts_with(folder + "/"))
            reading.sources.add(path, text);
    }
}

bool can_be_read(const std::string& text) {
    return text.size() <= max_script_bytes && text.find('\0') == std::string::npos && is_valid_utf8(text);
}

// Ranges behind the text are those of calls that were added to it.
void read_into(Reading& reading, ReadRequest& request) {
    reading.text = std::move(request.text);
    FileId file = reading.sources.add(request.name, with_studio_calls(reading.text, request.calls));
    DiagnosticSink sink;
    reading.tree = parse(reading.sources, file, sink);
    reading.tree.asked_calls = request.calls.size();
    reading.mistakes = sink.take();
    if (!can_be_read(reading.text))
        return;
    read_tokens(reading);
    reading.names = bind_names(reading.tree, reading.text, reading.tokens);
    reading.is_readable = true;
    if (request.folder.empty())
        return;
    reading.folder = request.folder;
    static const Buffers none;
    const Buffers& buffers = request.buffers ? *request.buffers : none;
    list_siblings(reading, request.folder, buffers);
    read_siblings(reading, request.folder, buffers);
    if (!reading.siblings.empty())
        add_buffers(reading, request.folder, buffers);
}

} // namespace

DocumentRef read(ReadRequest request) {
    auto reading = std::make_shared<Reading>();
    KnownFacts known;
    try {
        learn_language(); // before somebody asks who cannot wait
        read_into(*reading, request);
        if (request.previous)
            known = request.previous->facts.moved_to(request.previous->text(), reading->text);
    } catch (...) { // what was found out so far is worth keeping
        ++reading->failures;
    }
    return std::make_shared<const Document>(std::move(reading), std::move(known));
}

DocumentRef with_values(const DocumentRef& document, FactRecorder& recorder, bool completed) {
    Facts facts = recorder.take();
    if (!completed)
        document->facts.add_missing_to(facts);
    return std::make_shared<const Document>(document->reading(),
                                            KnownFacts(std::make_shared<const Facts>(std::move(facts))));
}

const ast::Module& tree_of(const Document& document) {
    return document.tree();
}

const SourceMap& sources_of(const Document& document) {
    return document.sources();
}

const std::vector<Diagnostic>& mistakes_of(const Document& document) {
    return document.reading()->mistakes;
}

int failures_of(const Document& document) {
    return document.failures;
}

const std::string& text_of(const Document& document) {
    return document.text();
}

bool imports_files(const Document& document) {
    return !document.siblings().empty();
}

DocumentRef read_text(std::string text, std::string path) {
    return read({std::move(text), std::move(path), "", {}, nullptr, nullptr});
}

std::string text_of_file(const std::string& path) {
    return read_script_file(std::filesystem::path(path).parent_path().string(), path).text;
}

} // namespace hidet::lang::service
