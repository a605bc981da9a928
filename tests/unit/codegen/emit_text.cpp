// SPDX-License-Identifier: Apache-2.0
// emit_text cuda ARCH FILE [--tokens], emit_text cpp FILE [--tokens]: reads IR text, lowers it to level Kernel where it is
// not, prints what was generated after the prelude. --tokens: a line for each token, with the bytes of the input it came from.
// --prelude: all of the text.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "compiler/codegen/cpp/generate.h"
#include "compiler/codegen/cuda/generate.h"
#include "compiler/ir/text/parse_text.h"
#include "compiler/ir/verify.h"
#include "compiler/transform/pass.h"

using namespace hidet;
using namespace hidet::compiler;

static void print_tokens(const artifact::Source& source, const std::string& input) {
    for (const TokenOrigin& token : source.tokens) {
        std::string text = source.text.substr(token.begin, token.end - token.begin);
        Span span = token.origin.span;
        std::string from = token.origin.known() ? input.substr(span.begin, span.end - span.begin) : "?";
        from = from.substr(0, std::min(from.find('\n'), std::size_t(60)));
        std::printf("%-24s | %s\n", text.c_str(), from.c_str());
    }
}

static void print_text(const artifact::Source& source) {
    std::size_t begin = source.tokens.empty() ? source.text.size() : source.tokens.front().begin;
    std::fputs(source.text.substr(begin).c_str(), stdout);
}

static std::optional<artifact::Source> generate(const ir::ModuleRef& module, const char* arch, DiagnosticSink& sink) {
    if (!arch)
        return generate_cpp(module, sink);
    const auto target = artifact::find_target(arch);
    return target ? generate_cuda(module, *target, sink) : std::nullopt;
}

int main(int argc, char** argv) {
    bool is_cuda = argc > 3 && std::strcmp(argv[1], "cuda") == 0;
    const char* path = argc > 2 ? argv[is_cuda ? 3 : 2] : nullptr;
    if (!path)
        return 2;
    std::ifstream in(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    SourceMap sources;
    FileId file = sources.add(path, text);
    DiagnosticSink sink;
    ir::ModuleRef module = ir::parse_module(sources, file, sink);
    if (module && !sink.has_errors() && module->level < ir::Level::Kernel)
        module = lower(module, {.to = LowerTo::Kernel}, sink);
    std::optional<artifact::Source> source;
    if (module && !sink.has_errors())
        source = generate(module, is_cuda ? argv[2] : nullptr, sink);
    sink.sort();
    std::fputs(render(sink.all(), sources).c_str(), stderr);
    if (!source)
        return 1;
    if (std::strcmp(argv[argc - 1], "--tokens") == 0)
        print_tokens(*source, text);
    else if (std::strcmp(argv[argc - 1], "--prelude") == 0)
        std::fputs(source->text.c_str(), stdout);
    else
        print_text(*source);
    return 0;
}
