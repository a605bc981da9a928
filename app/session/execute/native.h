// SPDX-License-Identifier: Apache-2.0
// Compiled C++ as files hold it.
#pragma once

#include "app/session/execute/executor.h"
#include "compiler/artifact/source.h"

namespace hidet::session {

struct CompiledObject {
    std::string bytes; // an object file
    std::vector<artifact::EntryPoint> entries;
};

struct NativeOptions {
    std::string processor = "native"; // that C++ is compiled for: "x86-64-v3"
    bool is_part = false; // objects are kept, and not loaded: they are object files, to be linked (stand_alone.h)
};

std::unique_ptr<Executor> make_native(Work& work, const RunRequest& request, NativeOptions options);

// Of a module that such an executor built; null unless it keeps them.
const CompiledObject* object_of(const Executable& module);

} // namespace hidet::session
