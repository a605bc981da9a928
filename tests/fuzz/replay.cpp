// SPDX-License-Identifier: Apache-2.0
// fuzz_replay TARGET PATH...: files, and files of folders, through a target, in the order of their names, without a fuzzer.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/fuzz/targets.h"

namespace {

using Target = void (*)(std::string_view);

Target target_of(std::string_view word) {
#define HIDET_FUZZ_TARGET(name, seeds, holds)                                                                          \
    if (word == #name)                                                                                                 \
        return hidet::fuzz::name;
#include "tests/fuzz/targets.def"
#undef HIDET_FUZZ_TARGET
    return nullptr;
}

std::vector<std::string> files_of(const std::filesystem::path& path) {
    if (!std::filesystem::is_directory(path))
        return {path.string()};
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(path))
        if (entry.is_regular_file())
            out.push_back(entry.path().string());
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace

int main(int argc, char** argv) {
    const Target target = argc > 2 ? target_of(argv[1]) : nullptr;
    if (!target) {
        std::fputs("fuzz_replay TARGET PATH...\n", stderr);
        return 2;
    }
    int count = 0;
    for (int i = 2; i < argc; ++i)
        for (const std::string& path : files_of(argv[i])) {
            std::fprintf(stderr, "%s\n", path.c_str()); // the last line names what broke it
            std::ifstream file(path, std::ios::binary);
            std::ostringstream text;
            text << file.rdbuf();
            target(text.str());
            ++count;
        }
    std::printf("%d inputs\n", count);
    return count == 0 ? 1 : 0;
}
