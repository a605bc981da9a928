// SPDX-License-Identifier: Apache-2.0
// Files that a script imports or reads: regular files of its own folder, however they are named and linked.
#pragma once

#include <string>

#include "lang/base/source.h"

namespace hidet::lang {

class Evaluator;

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

// Of a data file that a script names: below its folder only, unless it is a program of the user's: "file-unreadable".
std::string path_in_folder(const Evaluator& evaluator, const std::string& given, Span span);

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
