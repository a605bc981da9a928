// SPDX-License-Identifier: Apache-2.0
// The state of making one function: what variables are, where values live, which frames are open.
//
// Functions are inlined. An Instance is one inlined copy (shared by calls of the same node); it has its own facts about
// every variable. analyse() finds them first: which variables differ between threads, which loops and inlined functions
// threads leave at different times. A variable differs when it is assigned something that differs, or assigned inside of
// a construct that only some threads take (deeper than its declaration).
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "compiler/codegen/bytecode/builder.h"
#include "compiler/codegen/bytecode/generate.h"
#include "compiler/ir/func.h"
#include "compiler/ir/intrinsic.h"
#include "lang/base/check.h"
#include "lang/base/diagnostic.h"

namespace hidet::compiler::bytecode {

using artifact::FenceKind;
using artifact::is_real;
using artifact::is_u;
using artifact::is_v;
using artifact::no_operand;
using artifact::Space;

Scalar scalar_of_dtype(ir::DType dtype);
Scalar scalar_of_type(const ir::TypeRef& type); // pointers: U64
Scalar compute_type(Scalar scalar); // in what arithmetic is done: I32 for narrow integers, F32 for short floats
inline bool is_narrow(Scalar s) {
    return compute_type(s) != s;
}

// constant + u + v, of an index.
struct Split {
    std::int64_t constant = 0;
    std::int32_t u = no_operand;
    std::int32_t v = no_operand;
    bool wide = false;
    bool is_constant() const { return u < 0 && v < 0; }
};

struct Term {
    Split index{};
    std::int64_t stride = 0; // bytes; multiplies stride_u
    std::int32_t stride_u = no_operand;
    std::int64_t extent = -1;
    std::int32_t extent_u = no_operand;
    bool is_index = false;
};

struct Place { // where a pointer points to
    Space space = Space::Pointer;
    std::int32_t base = no_operand;
    std::vector<Term> terms;
    std::int64_t offset = 0;
    Split shift{}; // of an element of less than a byte: its bits in the unit, from this one on
    std::string name;
};

struct Value {
    enum class Kind : std::uint8_t { None, Constant, Register, Sum, Pointer, Vector };
    Kind kind = Kind::None;
    Scalar type{};
    std::uint64_t bits = 0;         // Constant: as a u register holds it
    std::int32_t reg = no_operand;  // Register
    Split sum{};                    // Sum: an index, in parts that accesses use one by one
    std::shared_ptr<Place> place{}; // Pointer
    std::vector<Value> lanes{};     // Vector
    bool is_constant() const { return kind == Kind::Constant; }
    std::int64_t integer() const { return static_cast<std::int64_t>(bits); }
};

// How so many elements lie in memory: scalars, one after the other.
struct Stored {
    Scalar scalar;
    std::int64_t count;
};
Stored stored(const ir::TypeRef& element, std::int64_t count);
bool is_packed_vector(ir::DType dtype); // its lanes are less than a byte

struct Instance;

struct Variable {
    // Facts.
    bool varying = false;
    bool assigned = false;
    bool escapes = false; // its address is taken, so it lives in memory
    int depth = 0;        // open frames where it is declared
    // Meaning, while code is generated.
    Value value;                      // Register of a variable, or what a name stands for
    std::int32_t array = -1;          // Local: row of locals
    std::int32_t shared = -1;         // row of shared
    std::vector<Value> parts;         // of a vector variable: registers
    std::shared_ptr<Place> reference; // parameter by reference: the element it stands for
    Variable* alias = nullptr;        // parameter by reference: the variable it stands for
    int generated_depth = 0;
};

struct Instance {
    const ir::Function* function = nullptr;
    std::unordered_map<const ir::Var*, Variable> variables;
    std::unordered_map<const ir::Node*, std::unique_ptr<Instance>> calls;
    std::set<const ir::Node*> masked; // loops that threads leave at different times; sorted by use only for membership
    Instance* parent = nullptr;
    bool leaves_apart = false; // the same for the function itself
    bool result_varying = false;
    int depth = 0;
};

Variable& variable_in(Instance& instance, const ir::Var& var); // the one that it stands for

// Values, in registers or not: nothing of the IR is looked at (arithmetic.cpp, complex.cpp, packed.cpp).
class ValueGenerator {
protected:
    ValueGenerator(artifact::Program& program, artifact::Function& out)
        : m_program(program), m_out(out), m_builder(out) {}
    ~ValueGenerator() = default;
    friend class Analysis;
    struct FrameInfo {
        int closer; // label
    };

    std::int32_t string(const std::string& text);
    void know(const std::string& name, const Value& value); // a number that has a name from here on
    Value new_variable(Scalar type, bool varying);
    void assign_register(std::int32_t reg, int depth, const Value& value);
    Value frozen(Value value);
    void freeze(std::int32_t& operand, Scalar type);
    Value gen_cast(const Value& value, const ir::TypeRef& from, const ir::TypeRef& to);
    Value gen_unary(ir::UnOp op, const Value& a);
    Value arithmetic(ir::BinOp op, const Value& a, const Value& b);
    Value arithmetic_scalar(ir::BinOp op, const Value& a, const Value& b);
    Value compute(Op op, Scalar type, const std::vector<Value>& args); // widens, computes, narrows
    Value convert(const Value& value, Scalar to);
    Value widened(const Value& value);
    Value narrowed(const Value& value, Scalar type);
    Value lane_wise(const Value& a, const Value& b, const std::function<Value(const Value&, const Value&)>& f);
    std::int32_t operand(const Value& value); // a register that holds it
    std::int32_t v_operand(const Value& value);
    static Value constant(std::int64_t bits, Scalar type);
    static Value in_register(std::int32_t reg, Scalar type);
    Split split_of(const Value& value);
    Value sum_value(const Split& split, Scalar type);
    std::int32_t add_up(const Value& sum);
    Split add(Split a, const Split& b, int sign);
    std::int32_t widen(std::int32_t v);
    std::shared_ptr<Place> place_of_value(const Value& value, const std::string& name);
    Value materialise(const Value& pointer);             // a symbolic pointer in a register
    Value low_bits(const Value& value, ir::DType dtype); // of an integer, as the byte that carries them
    Value bits_at(const Value& word, const Value& shift, ir::DType dtype);
    Value convert_to(const Value& value, ir::DType dtype);
    Value lanes_of_word(const Value& word, ir::DType vector);
    Value word_of_lanes(const Value& lanes, ir::DType vector);
    Value bits_as(const Value& value, ir::DType to);
    Value new_value(const ir::TypeRef& type, bool varying); // a variable of any type of values
    void touch(const Value& variable);
    void assign_value(const Value& variable, int declared_depth, const Value& value);
    Value complex_arithmetic(ir::BinOp op, const Value& a, const Value& b);
    Value complex_quotient(const Value& a, const Value& b);
    Value chosen(const Value& condition, const Value& a, const Value& b);
    Value gen_instruction(Instr instr);     // that makes no value
    Value made(Instr instr, Scalar result); // what the instruction leaves in its destination
    // The same of operands alone: by all threads where one of them differs between threads.
    Value made(Op op, Scalar type, Scalar result, std::int32_t a, std::int32_t b = no_operand,
               std::int32_t c = no_operand, std::int32_t x = 0) {
        return in_register(m_builder.emit_value(op, type, result, a, b, c, x), result);
    }
    Value made(Op op, Scalar type, std::int32_t a, std::int32_t b = no_operand, std::int32_t c = no_operand) {
        return made(op, type, type, a, b, c);
    }
    std::int32_t operands_row(std::vector<std::int32_t> items, std::vector<Scalar> types, int definitions,
                              std::int32_t text);
    std::int32_t access_row(const Place& place, Scalar element, std::int64_t offset, int align);
    int depth() const { return static_cast<int>(m_frames.size()); }

    std::vector<FrameInfo> m_frames;
    artifact::Program& m_program;
    artifact::Function& m_out;
    Builder m_builder;
    bool m_is_kernel = false;
    std::map<std::string, std::int32_t> m_strings;
};

// Values in memory (access.cpp, packed.cpp).
class MemoryGenerator : public ValueGenerator {
protected:
    using ValueGenerator::ValueGenerator;

    // The register of an element of a local array whose index is constant, and how far the element is shifted in it.
    struct LocalElement {
        std::int32_t reg = no_operand;
        int shift = 0;
        bool packed_part = false;
    };
    std::optional<LocalElement> local_element(const Place& place, Scalar element, std::int64_t offset);
    bool place_is_lane(const Place& place) const;
    Value load(const Place& place, const ir::TypeRef& type);
    void store(const Place& place, const ir::TypeRef& type, const Value& value);
    Value load_scalar(const Place& place, Scalar element, std::int64_t offset, int align);
    void store_scalar(const Place& place, Scalar element, std::int64_t offset, int align, const Value& value);
    bool is_packed(const Place& place) const;
    Value shift_of(const Place& place);
    Value load_packed(const Place& place, ir::DType dtype);
    void store_packed(const Place& place, ir::DType dtype, const Value& value);
    void store_bits(const Place& place, Scalar unit, const Value& shift, int bits, const Value& value);
    Value load_lanes(const Place& place, ir::DType dtype);
    void store_lanes(const Place& place, ir::DType dtype, const Value& value);
    void make_strong(std::size_t first);

    std::vector<int> m_local_depth; // of each local array: open frames where it is declared
};

// Variables, expressions (expr.cpp) and addresses (access.cpp).
class ExprGenerator : public MemoryGenerator {
protected:
    ExprGenerator(const ir::Module& module, artifact::Program& program, artifact::Function& out)
        : MemoryGenerator(program, out), m_module(module) {}
    friend class Analysis;

    virtual Value gen_intrinsic(const ir::Intrinsic& e) = 0;
    virtual bool gen(const ir::StmtRef& stmt) = 0; // false: control does not come out at the end
    struct RegionInfo {
        Instance* instance;
        int end_label;
        int frame; // -1: none
        int depth; // open frames at the call
        Value result;
    };
    Variable& variable(const ir::Var& var) { return variable_in(*m_instance, var); }
    void bind(const ir::VarRef& var, Value value);
    void give_name(const Value& value);
    void declare(const ir::DeclareStmt& stmt);
    void share(const ir::Var& var, Variable& info, const Stored& memory);
    void declare_tensor(const ir::DeclareStmt& stmt, Variable& info);
    void declare_in_memory(const ir::VarRef& var, Variable& info, Scalar element, std::int64_t count, bool packed);
    void assign(Variable& info, const Value& value);
    Value gen(const ir::ExprRef& expr);
    Value gen_binary(const ir::Binary& e);
    Value gen_logical(const ir::Binary& e);
    Value gen_select(const ir::Select& e);
    Value gen_call(const ir::Call& e);
    bool is_safe(const ir::ExprRef& expr) const; // may be evaluated though nobody asked
    std::int32_t arg(const ir::Intrinsic& e, std::size_t i) { return operand(gen(e.args.at(i))); }
    Value gen_constant(const ir::Constant& e);
    Value builtin(ir::Builtin which);
    Value symbol(const std::string& name, Scalar type);
    Split gen_split(const ir::ExprRef& expr);
    Value gen_named(const ir::ExprRef& expr); // what a name will stand for
    std::shared_ptr<Place> place_of_pointer(const ir::ExprRef& pointer);
    std::shared_ptr<Place> place_of_element(const ir::ExprRef& base, const ir::ExprVec& indices);
    std::shared_ptr<Place> place_of_lvalue(const ir::ExprRef& lvalue);
    std::shared_ptr<Place> place_of_variable(const ir::Var& var);
    void index_tensor(Place& place, const ir::TensorType& tensor, const ir::ExprVec& indices, int bytes);
    void index_packed(Place& place, const ir::TypeRef& base, const ir::ExprVec& written, ir::DType dtype);
    Term packed_offset(const ir::ExprRef& count, ir::DType dtype);
    void check_whole(const ir::Expr& where, Place& place);
    void gen_if_v(std::int32_t condition, bool may_block, const std::function<void()>& then_body,
                  const std::function<void()>& else_body);
    bool may_block(const ir::NodeRef& node) const;
    int closer() const { return m_frames.empty() ? m_end_label : m_frames.back().closer; }
    std::int32_t frames_above(int frame) const { return depth() - 1 - frame; }

    const ir::Module& m_module;
    Instance m_root;
    Instance* m_instance = nullptr;
    std::vector<RegionInfo> m_regions;
    int m_end_label = 0;
    std::map<std::string, std::int32_t> m_symbols;
    std::deque<ir::VarRef> m_names; // that the generator made for values
    std::vector<Item> m_prologue;
    std::int32_t m_dynamic_shared = -1;
    int m_inline_depth = 0;
};

// Intrinsics (intrinsic.cpp, emulate_*.cpp).
class IntrinsicGenerator : public ExprGenerator {
protected:
    using ExprGenerator::ExprGenerator;

    Value gen_intrinsic(const ir::Intrinsic& e) override;
    template <ir::IntrinsicId>
    struct Of {};
#define HIDET_INTRINSIC(id, ...) Value emulate(Of<ir::IntrinsicId::id>, const ir::Intrinsic& e);
#include "compiler/ir/intrinsics.def"
    Value gen_math(Op op, const ir::Intrinsic& e);
    Value gen_atomic(Op op, const ir::Intrinsic& e);
    using LaneFunction = std::function<Value(const std::vector<Value>&)>;
    Value gen_same_lanes(const ir::Intrinsic& e, const Value& value);
    Value gen_load_lanes(const ir::Intrinsic& e, bool is_aligned);
    Value gen_store_lanes(const ir::Intrinsic& e, bool is_aligned);
    Value gen_lanes(const ir::Intrinsic& e, const LaneFunction& f);
    Value gen_lane_operator(const ir::Intrinsic& e, ir::BinOp op);
    Value greater_lane(const Value& a, const Value& b);
    Value gen_chosen_lanes(const ir::Intrinsic& e);
    Value gen_all_lanes(const ir::Intrinsic& e, const LaneFunction& f, bool by_neighbours);
    Value gen_update(const ir::Intrinsic& e, ir::BinOp op, bool gives_new);
    Value gen_packed(const ir::Intrinsic& e, Scalar lane, Op op);
    Value gen_fence(FenceKind kind);
    Value gen_special(std::int32_t which);
    Value gen_shuffle(int mode, const ir::Intrinsic& e);
    std::vector<std::int32_t> words_of_integer(const ir::Intrinsic& e);
    enum class Direction : std::uint8_t { Left, Right };
    enum class Amount : std::uint8_t { Wraps, Clamped };
    Value gen_funnel_shift(const ir::Intrinsic& e, Direction direction, Amount amount);
    Value gen_products_of_bytes(const ir::Intrinsic& e, Scalar type);
    Value gen_match(Op op, const ir::Intrinsic& e);
    Value gen_clock();
    Value gen_vote(Op op, Scalar type, const ir::Intrinsic& e);
    Value gen_named_barrier(Op op, const ir::Intrinsic& e);
    Value gen_bulk(Op op, const ir::Intrinsic& e, Scalar type = Scalar::U64);
    Value gen_phase_test(const ir::Intrinsic& e);
    Value gen_signal(Op op, const ir::Intrinsic& e, std::int32_t bytes, std::size_t block);
    Value gen_barrier_reduce(int what, const ir::Intrinsic& e);
    struct Words { // 32-bit registers behind a pointer, for matrix instructions
        std::vector<std::int32_t> regs;
        bool in_place = true; // they are the array's own registers
        Place place;
    };
    Words words_of(const ir::ExprRef& pointer, int count, bool read);
    Words sums_of(const ir::ExprRef& pointer, int count);
    Value gen_matrices(Op op, const ir::Intrinsic& e);
    Value gen_wgmma(const ir::Intrinsic& e, const Words* a);
    struct TileWalk;
    TileWalk tile_walk(const ir::Intrinsic& e, std::size_t address, bool is_outer_apart, int pair);
    Value gen_tile_load(const ir::Intrinsic& e, bool is_left);
    Place place_in_tile(const TileWalk& walk, int outer, int inner);
    Value tile_word(const TileWalk& walk, int outer, int inner);
    void write_back(const Words& words);
    void gen_guarded(const Value& condition, const std::function<void()>& body);
    void check_space(const Place& place, bool is_shared, std::string_view what);
    Value gen_wide(const ir::Intrinsic& e);
};

// Statements (stmt.cpp); false: control does not come out at the end.
class Generator final : public IntrinsicGenerator {
public:
    Generator(const ir::Module& module, artifact::Program& program, artifact::Function& out,
              const BytecodeOptions& options)
        : IntrinsicGenerator(module, program, out) {
        m_builder.keeps_arrays = options.keeps_locals;
    }
    void note_variables(artifact::VariableNotes& notes) { m_builder.notes = &notes; }
    void generate(const ir::Function& function);

private:
    using IntrinsicGenerator::gen;
    struct LoopInfo {
        int break_label;
        int continue_label;
        int top;
        int frame; // index of its frame, -1: none
    };
    bool gen(const ir::StmtRef& stmt) override;
    bool gen_seq(const ir::SeqStmt& stmt);
    bool gen_if(const ir::IfStmt& stmt);
    bool gen_for(const ir::ForStmt& stmt);
    bool gen_while(const ir::WhileStmt& stmt);
    LoopInfo open_loop(bool is_masked); // up to its top
    void test_turn(const LoopInfo& loop, std::int32_t test, const ir::StmtRef& body);
    void gen_turn(const LoopInfo& loop, const ir::StmtRef& body); // up to where `continue` goes
    void close_loop(const LoopInfo& loop);
    bool gen_leave_loop(bool is_break);
    bool gen_return(const ir::ReturnStmt& stmt);
    void gen_launch(const ir::LaunchStmt& stmt);
    bool should_unroll(const ir::ForStmt& stmt, std::int64_t extent) const;
    bool waits(const ir::NodeRef& node) const; // reads what other threads write while it loops

    std::vector<LoopInfo> m_loops;
};

void analyse(ExprGenerator& generator, const ir::Function& function);
[[noreturn]] void unsupported(const ir::Node& node, const std::string& what);

} // namespace hidet::compiler::bytecode
