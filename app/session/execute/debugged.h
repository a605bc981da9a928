// SPDX-License-Identifier: Apache-2.0
// An emulator in whose launches somebody stops.
#pragma once

#include <memory>
#include <vector>

#include "app/session/execute/executor.h"
#include "compiler/artifact/variable_notes.h"
#include "runtime/vm/debug/debugger.h"

namespace hidet::session {

struct DebuggedModule {
    const artifact::Program* program = nullptr;
    std::vector<artifact::VariableNotes> notes; // by function
    ir::ModuleRef script, lowered;
};

class ModuleDebugger : public vm::Debugger {
public:
    virtual void built(DebuggedModule module) = 0; // before anything of it is launched
};

// The debugger is asked on the thread that calls, and outlives the emulator.
std::unique_ptr<Executor> make_debugged_emulator(Work& work, const RunRequest& request, ModuleDebugger& debugger);

} // namespace hidet::session
