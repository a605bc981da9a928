// SPDX-License-Identifier: Apache-2.0
// A folder that a test may fill, and programs in it that stand in for real ones.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "runtime/toolchain/files.h"

namespace hidet::test {

class Scratch {
public:
    Scratch() : m_folder(toolchain::TemporaryFolder::make().value()) {}
    std::string path(const std::string& name) const { return m_folder->path() + "/" + name; }
    std::string write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
        std::ofstream(path(name), std::ios::binary) << text;
        return path(name);
    }
    std::string program(const std::string& name, const std::string& script) const {
        std::string file = write(name, "#!/bin/sh\n" + script);
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
        return file;
    }

private:
    std::unique_ptr<toolchain::TemporaryFolder> m_folder;
};

} // namespace hidet::test
