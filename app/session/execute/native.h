// SPDX-License-Identifier: Apache-2.0
// Compiled C++ as files hold it: made by one process, and run by another that has no compiler.
#pragma once

#include "app/session/execute/executor.h"
#include "compiler/artifact/source.h"

namespace hidet::session {

struct CompiledObject {
    std::string bytes; // an ELF shared object, or an object file
    std::vector<artifact::EntryPoint> entries;
};

struct NativeOptions {
    std::string processor = "native"; // that C++ is compiled for: "x86-64-v3"
    bool keeps_objects = false;
    bool is_part = false; // objects are not loaded: they are object files, to be linked (stand_alone.h)
};

// Without a C++ compiler it runs what was compiled elsewhere.
std::unique_ptr<Executor> make_native(Work& work, const RunRequest& request, NativeOptions options);

// Of a module that such an executor built; null unless it keeps objects.
const CompiledObject* object_of(const Executable& module);

// In such an executor. Error codes: "library-not-loaded".
Result<Ref<Executable>> load_object(Executor& native, const CompiledObject& object);

} // namespace hidet::session
