// SPDX-License-Identifier: Apache-2.0
// Writes what a server needs of a package: make_repository NAME ENTRY DESCRIPTION.json PACKAGE FOLDER. Exit code 1: refused.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "runtime/serving/repository.h"

static std::string read(const char* path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

int main(int argc, char** argv) {
    if (argc != 6)
        return 2;
    auto files = hidet::serving::triton_repository(argv[1], argv[2], read(argv[3]), read(argv[4]));
    if (!files) {
        std::printf("%s: %s\n", files.error().code.c_str(), files.error().message.c_str());
        return 1;
    }
    for (const hidet::serving::ServedFile& file : files.value()) {
        const std::filesystem::path path = std::filesystem::path(argv[5]) / file.path;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << file.bytes;
    }
    return 0;
}
