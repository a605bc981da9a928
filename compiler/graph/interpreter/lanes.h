// SPDX-License-Identifier: Apache-2.0
// Expressions of compute definitions, evaluated for many indices at once.
//
// An expression is compiled into steps, one per node of its tree. A step computes a row of up to `lane_count` values, so
// that walking the tree costs little. Branches of a Select run for the lanes that take them: `active` says which; a read
// in another lane gives 0 and is not checked. Integers are kept as int64 (u64 as its bits), floats as doubles rounded to
// their type after each operation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/graph/interpreter/cells.h"
#include "lang/base/symbol_values.h"

namespace hidet::graph::lanes {

inline constexpr int lane_count = 256;

using Row = std::vector<Cell>;
using Active = std::vector<std::uint8_t>;

// The elements of a tensor that is read or written.
struct Elements {
    ir::DType dtype = ir::DType::F32;
    std::vector<std::int64_t> shape;
    const std::byte* data = nullptr;
};

// Neighbouring lanes along which one axis counts up by one and no other moves.
struct Run {
    int first = 0;
    int count = 0;
};
struct Runs {
    const Row* moving = nullptr; // the row of that axis
    std::vector<Run> all;        // of the lanes that are computed at the moment
};

struct Environment {
    std::map<const ir::Var*, const Row*> rows; // of axes
    std::map<const ir::Var*, const Elements*> tensors;
    const SymbolValues* symbols = nullptr;
    const Runs* runs = nullptr; // null: lanes are in no order
};

class Code {
public:
    // The environment's rows and elements are read when the code runs.
    Code(const ir::ExprRef& expr, Environment environment);
    // The values in the lanes that are active; a reference into this object.
    const Row& run(int lanes, const Active& active) { return run(m_root, lanes, active); }
    ir::DType dtype() const { return m_steps[m_root].dtype; }

private:
    enum class Kind : std::uint8_t { Fixed, Row, Alias, Unary, Binary, Logic, Cast, Select, Element, Math, Let };
    struct Affine { // constant + the sum of rows times factors
        std::int64_t constant = 0;
        std::vector<std::pair<const Row*, std::int64_t>> terms;
    };
    struct Walk {
        Affine affine;
        std::int64_t step = 0; // from lane to lane of a run
    };
    struct Step {
        Kind kind = Kind::Fixed;
        ir::DType dtype = ir::DType::I64;
        ir::DType from = ir::DType::I64; // of the operands
        int code = 0;                    // UnOp, BinOp or IntrinsicId
        std::vector<std::size_t> operands;
        const Row* row = nullptr;  // of an axis
        const Row* last = nullptr; // what the step gave when it ran
        const Elements* elements = nullptr;
        std::vector<Walk> walk; // Element: by dimension; empty: not every index is affine
        Row result;
        Active active;
        Active other;
    };

    std::size_t compile(const ir::ExprRef& expr);
    std::size_t add(Step step);
    std::size_t fixed(Cell value, ir::DType dtype);
    const Row& run(std::size_t step, int lanes, const Active& active);
    const Row& compute(Step& step, int lanes, const Active& active);
    void run_operator(ScalarOp op, Step& step, int lanes, const Active& active);
    void run_math(Step& step, int lanes, const Active& active);
    void run_select(Step& step, int lanes, const Active& active);
    void run_logic(Step& step, int lanes, const Active& active);
    void run_element(Step& step, int lanes, const Active& active);
    std::optional<Affine> affine_of(std::size_t step) const;
    std::vector<Walk> walk_of(const std::vector<std::size_t>& indices) const;
    bool read_runs(Step& step) const; // false: some lane lies outside

    Environment m_environment;
    std::map<const ir::Var*, std::size_t> m_lets;
    std::vector<Step> m_steps;
    std::size_t m_root = 0;
};

} // namespace hidet::graph::lanes
