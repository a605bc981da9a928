// SPDX-License-Identifier: Apache-2.0
// The tree that Hugging Face's 'kernels' loads: a build in Python with operators of PyTorch, its metadata, and what its card says.
#include <algorithm>

#include "app/session/exporting/exporter.h"
#include "app/session/exporting/provenance.h"
#include "app/session/exporting/torch_text.h"
#include "lang/base/ascii.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

// Letters, digits and '-': "few-rows-matmul".
std::string kernel_name(const std::string& name) {
    std::string out;
    for (const char c : name)
        if (is_alphanumeric(c))
            out += to_lower(c);
        else if (!out.empty() && out.back() != '-')
            out += '-';
    while (!out.empty() && out.back() == '-')
        out.pop_back();
    if (out.empty() || !is_lower(out.front()))
        out = "kernel-" + out;
    return out.size() < 2 ? out + "-kernel" : out;
}

// What the script says of itself, in the words of SPDX.
std::string licence_of(const std::string& script) {
    const std::string mark = "SPDX-License-Identifier:";
    const std::size_t at = script.find(mark);
    if (at == std::string::npos)
        return "unknown";
    const std::size_t begin = at + mark.size();
    const std::string_view words = trimmed(std::string_view(script).substr(begin, script.find('\n', begin) - begin));
    const bool is_expression = std::ranges::all_of(words, [](char c) {
        return is_alphanumeric(c) || std::string_view("-.+:() ").find(c) != std::string_view::npos;
    });
    return is_expression && !words.empty() ? std::string(words) : "unknown";
}

std::string to_lower_text(std::string text) {
    for (char& c : text)
        c = to_lower(c);
    return text;
}

// "9.0a"
std::string capability_of(const artifact::TargetSpec& target) {
    const std::string arch = artifact::architecture_name(target.arch).substr(3);
    const std::size_t digits = arch.find_first_not_of("0123456789");
    const std::size_t last = (digits == std::string::npos ? arch.size() : digits) - 1;
    return arch.substr(0, last) + "." + arch.substr(last);
}

} // namespace

bool export_hf_kernel(ExportWork& out) {
    std::optional<ExportedProgram> program = exported_program(out);
    if (!program || !add_images(out, *program))
        return false;
    const auto object = c_object(out, *program);
    if (!object)
        return false;
    const std::string name = kernel_name(out.name), licence = licence_of(out.request.source.text);
    const std::string id = cat("_", out.name, "_cuda_", hash_of({"", *object, false}).substr(0, 8));
    const auto module = torch_module(out, *program, id);
    if (!module)
        return false;
    std::vector<std::string> architectures, functions;
    for (const ExportedImage& image : program->images.front())
        architectures.push_back(cat("\"", capability_of(image.target), image.ptx.empty() ? "" : "+PTX", "\""));
    for (const ExportedFunction& function : program->functions)
        functions.push_back(cat("* `", function.name, "`\n"));
    out.add("build/torch-cuda/__init__.py", *module);
    out.add("build/torch-cuda/" + out.name + ".so", *object);
    out.add("build/torch-cuda/metadata.json",
            cat("{\n  \"name\": \"", name, "\",\n  \"id\": \"", id, "\",\n  \"version\": 1,\n  \"license\": \"",
                licence, "\",\n  \"python-depends\": [],\n  \"backend\": {\"type\": \"cuda\", \"archs\": [",
                join(architectures, ", "), "]}\n}\n"));
    out.add("build.toml", cat("[general]\nname = \"", name, "\"\nversion = 1\nedition = 5\nlicense = \"", licence,
                              "\"\nbackends = [\"cuda\"]\n\n[torch-noarch]\n"));
    out.add("README.md", cat("---\nlicense: ", to_lower_text(licence), "\ntags:\n- kernels\n---\n\n# ", name,
                             "\n\nOperators of PyTorch on NVIDIA GPUs:\n\n", join(functions, ""),
                             "\n```python\nfrom kernels import get_kernel\n\n", out.name, " = get_kernel(\"<owner>/",
                             name, "\")\n```\n\n", comment_of(provenance_of(out), "*")));
    out.add_next("pip install kernels");
    out.add_next(cat("kernel = kernels.get_local_kernel(pathlib.Path(\"<this folder>\"))"));
    out.add_next(cat("kernel.", program->functions.front().name,
                     "(...)  # or upload the folder: kernels.get_kernel(\"<owner>/", name, "\")"));
    return true;
}

} // namespace hidet::session
