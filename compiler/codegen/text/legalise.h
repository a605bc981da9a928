// SPDX-License-Identifier: Apache-2.0
// What a C-like language cannot say is decided here, on the IR, so that printing (emitter.h) asks for no facts.
//
// The order of evaluation: parts of an expression whose order can be told apart become statements (sequence.h).
//
// Signs. Signed integers of the IR wrap; in C++ they must not overflow, and compilers rely on it: CUDA's folds `x + 1 > x`. So
// i32 and i64 arithmetic that value ranges cannot keep from wrapping becomes arithmetic of the unsigned type of that width,
// between casts. Most of these the language makes by itself, and they are not written: `int y = x * 31u;`. The rest is:
// `int(x * 31u) < y`. Thread and block indices are unsigned in CUDA, which is what makes
// `int i = blockIdx.x * 64 + threadIdx.x;` right. Sums and products that are an index of memory stay as they are: where they
// overflow the address is wrong in any reading, and compilers vectorise loops over indices that do not wrap.
//
// Division that rounds down is division that truncates where nothing is negative, and a shift where the divisor is a power of
// two; FloorDiv and FloorMod that are left are calls of the prelude.
#pragma once

#include <unordered_map>

#include "compiler/analysis/launch_bounds.h"
#include "compiler/codegen/text/dialect.h"
#include "compiler/ir/func.h"

namespace hidet::compiler::text {

enum class Mark : std::uint8_t {
    Implied,  // a change of sign that the language makes by itself
    Sign,     // a change of sign that is written
    Unproven, // a shift or division that the language may leave undefined for these operands: a call of the prelude
};

// Valid IR, which means what the function meant. Marks are of nodes that stand in it once.
class LegalFunction {
public:
    ir::FunctionRef function;

    bool has(Mark mark, const ir::Expr& expr) const {
        auto found = m_marked.find(&expr);
        return found != m_marked.end() && found->second.mark == mark;
    }
    // What is written where the expression stands.
    const ir::ExprRef& written(const ir::ExprRef& expr) const;
    ir::ExprRef marked(ir::ExprRef expr, Mark mark);

private:
    struct Marked {
        ir::ExprRef expr; // kept, so that its address stays its own
        Mark mark;
    };
    std::unordered_map<const ir::Expr*, Marked> m_marked;
};

// The sum or product in `x = x + y`, which is written `x += y`. Null: the statement is none.
const ir::Binary* compound_of(const ir::AssignStmt& stmt, const LegalFunction& legal);
const ir::Binary* compound_of(const ir::StoreStmt& stmt, const Uses& uses, const LegalFunction& legal);

// `bounds` may be null: nothing is known of the launch.
LegalFunction legalise(const ir::FunctionRef& function, const ir::ModuleRef& module, const Dialect& dialect,
                       const LaunchBounds* bounds);

} // namespace hidet::compiler::text
