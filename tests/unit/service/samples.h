// SPDX-License-Identifier: Apache-2.0
// The texts of all scripts of the tree that tests of the service read.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace hidet::test {

inline std::vector<std::string> samples() {
    std::vector<std::string> paths, texts;
    for (const char* folder : {"/samples/kernels", "/tests/run"})
        for (const auto& entry :
             std::filesystem::recursive_directory_iterator(HIDET_SOURCE_FOLDER + std::string(folder)))
            if (entry.path().extension() == ".py")
                paths.push_back(entry.path().string());
    std::sort(paths.begin(), paths.end());
    for (const std::string& path : paths) {
        std::ifstream file(path, std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
        texts.push_back(std::move(text).str());
    }
    return texts;
}

} // namespace hidet::test
