// SPDX-License-Identifier: Apache-2.0
// Files that a script imports: regular files of its own folder, however they are named and linked.
#pragma once

#include <string>

namespace hidet::lang {

struct ScriptFile {
    enum class State {
        Read,
        Missing,
        Outside, // a symbolic link leads out of the folder
        NoEnd,   // a symbolic link that leads to no file, or in a circle
        NoFile,  // a pipe, a device, a folder, or one that may not be read
    };
    State state = State::Missing;
    std::string text; // a byte more than a script may have, at most: the parser refuses it
};

// Never waits: a pipe is not opened.
ScriptFile read_script_file(const std::string& folder, const std::string& path);

// Where an evaluation finds what its script imports. These are the files of the disk.
class ImportFiles {
public:
    virtual ~ImportFiles() = default;
    virtual ScriptFile read(const std::string& folder, const std::string& path) {
        return read_script_file(folder, path);
    }
    virtual bool is_folder(const std::string& path);
};

} // namespace hidet::lang
