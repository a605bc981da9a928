// SPDX-License-Identifier: Apache-2.0
// Host functions: one thread, u registers only.
#pragma once

#include "runtime/vm/launch.h"

namespace hidet::vm {

struct HostContext {
    const Program* program = nullptr;
    Memory* memory = nullptr;
    const MachineOptions* options = nullptr;
    const std::vector<std::uint64_t>* globals = nullptr;
    std::map<std::string, std::int64_t>* symbols = nullptr;
    Statistics* statistics = nullptr;
};

class HostRunner {
public:
    HostRunner(HostContext context, const Function& function);
    ~HostRunner();
    HostRunner(const HostRunner&) = delete;
    HostRunner& operator=(const HostRunner&) = delete;
    std::uint64_t run(const std::vector<std::uint64_t>& args); // what it returns, as a u register holds it

private:
    struct Element {
        std::byte* data = nullptr;
        int bytes = 0;
    };
    void execute(const Step& step);
    Element resolve(const Step& step, bool is_store);
    std::byte* host_or_device(std::uint64_t pointer, std::int64_t bytes, bool is_store, const char* what);
    void load(const Step& step);
    void store(const Step& step);
    void launch(const Step& step);
    void print(const Step& step);
    std::uint64_t local_array(std::int32_t row);
    std::uint64_t& slot(std::int32_t operand) { return m_u[static_cast<std::size_t>(artifact::register_of(operand))]; }
    std::int64_t integer(std::int32_t operand) { return static_cast<std::int64_t>(slot(operand)); }
    [[noreturn]] void fail(FindingKind kind, const std::string& text);
    std::string element_text(const artifact::Access& access);

    HostContext m_context;
    const Function& m_function;
    Code m_code;
    std::vector<std::uint64_t> m_u;
    std::vector<std::uint64_t> m_locals;
    std::vector<std::uint64_t> m_workspaces;
    std::uint32_t m_pc = 0;
    bool m_done = false;
    std::uint64_t m_result = 0;
    std::uint64_t m_steps = 0;
};

} // namespace hidet::vm
