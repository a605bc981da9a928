// SPDX-License-Identifier: Apache-2.0
// Runs what the scheduler and fusion make, on each backend of this machine.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/graph/fuse/lower.h"
#include "lang/base/symbol_values.h"

namespace hidet::test {

// CPU code in the virtual machine, or as C++; CUDA code in the emulator, or on the GPU of this machine.
enum class Backend { Machine, Native, Emulated, Gpu };

// Values of the whole graph, by id, computed group by group; the interpreter's when there are no groups.
using Values = std::map<graph::ValueId, lang::TensorRef>;

class GroupRunner {
public:
    explicit GroupRunner(Backend backend);
    ~GroupRunner();
    const artifact::TargetSpec& target() const;
    bool is_there() const; // a compiler or a GPU, if one is needed
    // Builds the program and runs it on the inputs in `values`, to which the outputs are added.
    void run(const graph::Graph& graph, const graph::GroupProgram& program, Values& values,
             const SymbolValues& symbols = {});

private:
    struct State;
    std::unique_ptr<State> m_state;
};

// What NVRTC says of the program's kernels; empty: they compile, or there is no NVRTC.
std::string compile_errors(const graph::GroupProgram& program);

// The whole graph, every operator by the interpreter.
void interpret(const graph::Graph& graph, Values& values, const SymbolValues& symbols = {});

} // namespace hidet::test
