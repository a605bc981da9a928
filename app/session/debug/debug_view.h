// SPDX-License-Identifier: Apache-2.0
// What a person sees of a launch that stands before a statement: where its warps are, what variables hold in each thread, and
// tensors by their elements. Lives as long as the launch stands there.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/session/debug/expression.h"
#include "app/session/debug/statements.h"
#include "app/session/execute/debugged.h"

namespace hidet::session {

inline constexpr int lanes_of_warp = 32;

struct DebuggedKernel {
    const DebuggedModule* module = nullptr;
    const artifact::VariableNotes* notes = nullptr;
    Statements statements;
};

// Warps that run together.
struct DebugGroup {
    int first_warp = 0;
    std::string name; // "block (0, 0, 0), warps 0 to 3, 128 of 128 threads"
    bool is_next = false;
    std::string file; // of the statement that it does next, or waits at; empty: none
    int line = 0;
};

struct DebugVariable {
    std::string name, type;
    const artifact::NamedValue* value = nullptr; // null: an argument
    std::size_t argument = 0;
};

enum class TensorHome : std::uint8_t { Shared, Registers, Argument };

struct DebugTensor {
    std::string name, dtype;
    std::vector<std::int64_t> shape; // registers: threads first, where each has some of its own
    TensorHome home{};
    lang::TensorRef values, written; // of an argument null; `written` null: all of it was
    std::uint64_t pointer = 0;       // of an argument
};

class DebugView {
public:
    DebugView(const vm::Standing& standing, const DebuggedKernel& kernel);

    const std::string& kernel() const { return m_standing.kernel().name; }
    std::array<std::int64_t, 3> block() const { return m_standing.block(); }
    std::string block_text() const; // "(0, 1, 0)"
    // Of one that is written so, in the grid.
    Result<std::int64_t> block_number(std::string_view text) const;
    vm::Position position() const { return m_standing.position(); }
    int threads() const; // of a block
    int first_thread() const { return std::max(0, m_standing.first_thread()); }
    bool runs(int thread) const { return m_standing.runs(thread); }
    bool is_known(int thread) const { return thread >= 0 && thread < threads() && m_standing.is_alive(thread); }
    std::string thread_text(int thread) const; // "(3, 0, 0)"
    std::vector<DebugGroup> groups() const;
    std::string file() const { return m_kernel.statements.file_at(m_standing.pc()); }
    int line() const { return m_kernel.statements.at(m_standing.pc()).line; }
    std::string running_text(int warp) const; // a sign for each lane

    const std::vector<DebugVariable>& variables() const { return m_variables; }
    const std::vector<DebugVariable>& arguments() const { return m_arguments; } // that are numbers
    std::string text(const DebugVariable& variable, int thread) const;   // "-": the thread has ended, or is elsewhere
    std::string row_text(const DebugVariable& variable, int warp) const; // of the lanes that run: "5", or "0 1 2 3"

    const std::vector<DebugTensor>& tensors() const;          // shared ones, registers, arguments
    const DebugTensor* tensor(const std::string& name) const; // null: there is none
    std::string element_text(const DebugTensor& tensor, std::int64_t element) const;

    Result<DebugNumber> value(const DebugExpression& expression, int thread) const;
    std::string row_text(const DebugExpression& expression, int warp) const;
    // Where the element lies whose last writer is asked for.
    Result<vm::WatchedBytes> bytes_of(const DebugExpression::Element& element, const DebugExpression& of,
                                      int thread) const;
    // "tile[3, 4]", with its index in numbers.
    Result<std::string> element_name(const DebugExpression::Element& element, const DebugExpression& of,
                                     int thread) const;
    int line_of(const vm::Writer& writer) const { return m_kernel.statements.at(writer.pc).line; }
    std::string writer_text(const std::optional<vm::Writer>& writer) const;

private:
    class Names;
    DebugNumber number(const DebugVariable& variable, int thread) const;
    Result<DebugNumber> element_number(const DebugTensor& tensor, std::int64_t element) const;
    static Result<std::vector<std::int64_t>> index_of(const DebugExpression::Element& element,
                                                      const DebugExpression& of, const Names& names);
    std::optional<vm::WatchedBytes> shared_bytes(const DebugTensor& tensor, std::int64_t element) const;
    void add_argument_tensors(std::vector<DebugTensor>& out) const;

    const vm::Standing& m_standing;
    const DebuggedKernel& m_kernel;
    std::vector<DebugVariable> m_variables, m_arguments;
    mutable std::optional<std::vector<DebugTensor>> m_tensors; // made when somebody looks
};

} // namespace hidet::session
