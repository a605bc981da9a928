// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/codegen/serial/dialect.h"

#include "compiler/codegen/cpp/dialect.h"

namespace hidet::test {

namespace {

using compiler::Snippets;
using compiler::TargetSyntax;
using ir::Builtin;

class SerialDialect final : public compiler::Dialect {
public:
    SerialDialect() : m_reserved(m_cpp.reserved_names()) { m_reserved.insert({"at", "index3", "thread_place"}); }

    std::optional<TargetSyntax> builtin(Builtin which) const override {
        switch (which) {
        case Builtin::ThreadIdxX: return compiler::plain("at.thread.x");
        case Builtin::ThreadIdxY: return compiler::plain("at.thread.y");
        case Builtin::ThreadIdxZ: return compiler::plain("at.thread.z");
        case Builtin::BlockIdxX: return compiler::plain("at.block.x");
        case Builtin::BlockIdxY: return compiler::plain("at.block.y");
        case Builtin::BlockIdxZ: return compiler::plain("at.block.z");
        case Builtin::BlockDimX: return compiler::plain("at.block_dim.x");
        case Builtin::BlockDimY: return compiler::plain("at.block_dim.y");
        case Builtin::BlockDimZ: return compiler::plain("at.block_dim.z");
        case Builtin::GridDimX: return compiler::plain("at.grid_dim.x");
        case Builtin::GridDimY: return compiler::plain("at.grid_dim.y");
        case Builtin::GridDimZ: return compiler::plain("at.grid_dim.z");
        default: return std::nullopt;
        }
    }
    // A kernel that divides by zero has no result on a GPU either.
    bool traps_on_division() const override { return false; }
    bool mixes_signs() const override { return true; }
    const std::set<std::string, std::less<>>& reserved_names() const override { return m_reserved; }

    std::optional<TargetSyntax> type(ir::DType dtype) const override { return m_cpp.type(dtype); }
    std::optional<TargetSyntax> intrinsic(const ir::Intrinsic& call) const override { return m_cpp.intrinsic(call); }
    std::optional<TargetSyntax> cast(ir::DType from, ir::DType to) const override { return m_cpp.cast(from, to); }
    std::optional<TargetSyntax> binary(ir::BinOp op, ir::DType dtype) const override { return m_cpp.binary(op, dtype); }
    Snippets operators(ir::BinOp op, ir::DType dtype) const override { return m_cpp.operators(op, dtype); }
    Snippets operators(ir::UnOp op, ir::DType dtype) const override { return m_cpp.operators(op, dtype); }
    std::optional<TargetSyntax> literal(double value, ir::DType dtype) const override {
        return m_cpp.literal(value, dtype);
    }
    std::string prelude(const Snippets& snippets) const override { return m_cpp.prelude(snippets); }
    const std::set<std::string, std::less<>>& library_names() const override { return m_cpp.library_names(); }

private:
    const compiler::Dialect& m_cpp = compiler::cpp_dialect();
    std::set<std::string, std::less<>> m_reserved;
};

} // namespace

const compiler::Dialect& serial_dialect() {
    static const SerialDialect dialect;
    return dialect;
}

} // namespace hidet::test
