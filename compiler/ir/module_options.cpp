// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/module_options.h"

#include <charconv>

#include "lang/base/check.h"
#include "lang/base/text.h"

namespace hidet::ir {

namespace {

constexpr std::string_view gpu = "cuda.arch=", processor = "cpu.arch=", ftz = "cuda.build.ftz=true",
                           division = "cuda.build.prec_div=false", passes = "passes=";

bool read_passes(std::string_view number, int& out) {
    const char* end = number.data() + number.size();
    return std::from_chars(number.data(), end, out).ptr == end && out > 0;
}

bool read_word(std::string_view word, ModuleOptions& out) {
    if (word == ftz)
        return out.flushes_subnormals = true;
    if (word == division)
        return out.divides_approximately = true;
    if (word.starts_with(passes))
        return read_passes(word.substr(passes.size()), out.passes);
    for (const auto& [name, value] : {std::pair(gpu, &out.gpu), std::pair(processor, &out.processor)})
        if (word.starts_with(name) && word.size() > name.size()) {
            *value = word.substr(name.size());
            return true;
        }
    return false;
}

} // namespace

std::string text_of(const ModuleOptions& options) {
    std::vector<std::string> words;
    if (!options.gpu.empty())
        words.push_back(cat(gpu, options.gpu));
    if (!options.processor.empty())
        words.push_back(cat(processor, options.processor));
    if (options.flushes_subnormals)
        words.emplace_back(ftz);
    if (options.divides_approximately)
        words.emplace_back(division);
    if (options.passes > 0)
        words.push_back(cat(passes, options.passes));
    return join(words, " ");
}

std::optional<ModuleOptions> read_module_options(std::string_view text) {
    ModuleOptions options;
    for (const std::string& word : split(text, ' '))
        if (!word.empty() && !read_word(word, options))
            return std::nullopt;
    return options;
}

ModuleOptions options_of(const Module& module) {
    const std::optional<ModuleOptions> options = read_module_options(module.options);
    HIDET_CHECK(options, module.options);
    return *options;
}

} // namespace hidet::ir
