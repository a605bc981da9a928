// SPDX-License-Identifier: Apache-2.0
// One thread on its way through a kernel: what its variables are, as terms.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "compiler/prove/kernel_facts.h"

namespace hidet::compiler::prove {

// A number, a condition or an address; neither: it is not followed.
struct Value {
    Term term = nullptr;
    int object = -1;      // of an address
    Term block = nullptr; // see Place
    // Of a tile of a product, in units of 16 bytes: what stands above the address.
    std::optional<std::int64_t> descriptor = {};
    Term offset = nullptr; // in bytes; null: not known
    std::vector<Term> index = {},
                      shape = {}; // of the element that it is the address of, if it is one of the object itself
    std::vector<ElementOfView> views = {}; // other elements on the way to it
    bool is_number = false;                // as an instruction takes it, which knows of memory and of no elements
    bool operator==(const Value&) const = default;
};

// What a branch has of its own, until it meets the other one.
struct ThreadState {
    std::unordered_map<const ir::Var*, Value> variables; // that are assigned; and how many groups of copies were closed
    Term returned = nullptr;
    Term left = nullptr; // this iteration of the loop around: `break` or `continue`
    std::vector<OpenAccess> open;
};

// Evaluates expressions, and notes the accesses that they make.
class ThreadValues {
public:
    ThreadValues(Terms& terms, KernelFacts& facts) : m_terms(terms), m_facts(facts) {
        for (ir::VarRef& counter : m_group_counters)
            counter = ir::make_var("groups of copies", ir::data_type(ir::DType::I32));
        m_named_barriers = ir::make_var("named barriers", ir::data_type(ir::DType::I32));
        m_state.returned = m_state.left = terms.truth(false);
        m_when = terms.truth(true);
    }

protected:
    ~ThreadValues() = default;
    Value eval(const ir::ExprRef& expr);
    Term number(const ir::ExprRef& expr);    // never null
    Term condition(const ir::ExprRef& expr); // never null

    Value eval_binary(const ir::Binary& expr);
    Value eval_unary(const ir::Unary& expr);
    Value eval_cast(const ir::Cast& expr);
    Value eval_select(const ir::Select& expr);
    Value eval_intrinsic(const ir::Intrinsic& expr);
    Term elected(const ir::Intrinsic& expr);
    Term eval_builtin(ir::Builtin which);
    Term product_of(const std::array<Term, 3>& extents);
    Value read_variable(const ir::Var& var);
    Term symbol_value(const ir::Intrinsic& expr);
    Term unknown(const ir::TypeRef& type, std::string why); // null where the type is no number
    Term size_symbol(const std::string& name, const ir::TypeRef& type, std::int64_t least);

    // Memory, thread_memory.cpp.
    int object_of(const ir::Var* var, Space space, Term bytes, const std::string& name);
    Value object_value(const ir::Var& var, Space space);
    Value address_of(const ir::ExprRef& place);
    Value address_of_element(const ir::ExprRef& base, const ir::ExprVec& indices);
    Value moved(Value address, Term bytes);
    Value beyond_element(Value address);   // behind which other elements may be reached
    static Value as_number(Value address); // that an instruction is given: any memory of the object
    Value load(const ir::Node& at, const Value& address, const ir::TypeRef& type);
    void access(const ir::Node& at, Does does, const Value& address, Term bytes, std::int64_t element_bytes,
                std::int64_t aligned, bool is_by_warp = false);
    void access_wide(const ir::Intrinsic& expr);
    void copy_async(const ir::Intrinsic& expr);
    enum class Until : std::uint8_t { Done, ItHasRead };
    void wait_for_groups(EndsBy kind, Term most_groups, Until until = Until::Done);
    const ir::Var* group_counter(EndsBy kind) const {
        return m_group_counters[static_cast<std::size_t>(kind) - 1].get();
    }
    void close_group(EndsBy kind);
    Term& groups(EndsBy kind); // of asynchronous accesses that the thread has closed
    void forget(const ir::ExprRef& place, const char* why);
    void forget(const ir::Var* var, const char* why);
    static constexpr std::int64_t bytes_of_word = 4; // of a register
    static std::int64_t bytes_of_operand(const ir::Intrinsic& expr, std::size_t operand);
    void access_operand(const ir::Intrinsic& expr, std::size_t operand, const Value& address);
    void obstacle(const ir::Node& at, Obstacle of);
    static std::optional<Obstacle> unseen(ir::IntrinsicId id); // nothing: it hinders no proof
    static bool wide_access_of(const ir::Intrinsic& expr);
    virtual void meet(const ir::Intrinsic& barrier) = 0;

    // What orders memory otherwise, thread_order.cpp.
    Moment moment() { return {m_loops, m_place++}; }
    void note_sync(SyncEvent event);
    void meet_warp(const ir::Intrinsic& barrier);
    void touch_barrier(const ir::Intrinsic& expr, Does does, const Value& barrier);
    Value use_mbarrier(const ir::Intrinsic& expr);
    void use_named_barrier(const ir::Intrinsic& expr);
    void access_later(const ir::Intrinsic& expr, Does does, const Value& address, Term bytes, std::int64_t aligned,
                      EndsBy ends_by, int ends_at);
    void copy_in_bulk(const ir::Intrinsic& expr);
    struct Bytes {
        Value address;
        Term count = nullptr;
        std::int64_t aligned = 1;
    };
    void copy_to_shared(const ir::Intrinsic& expr, const Bytes& to, const Bytes& from, const Value& barrier);
    void fence_for_copies();
    // Products, thread_products.cpp.
    std::optional<Value> descriptor_of(ir::BinOp op, const Value& address, Term by);
    void read_tile(const ir::Intrinsic& expr, const Value& tile, std::int64_t rows, bool is_transposed);
    void multiply_tiles(const ir::Intrinsic& expr);
    void move_tile(const ir::Intrinsic& expr);
    struct MappedTensor {
        const ir::Var* tensor = nullptr;
        Term bytes = nullptr, box_bytes = nullptr;
        std::vector<Term> box = {}; // of tiled ones
    };
    void make_map(const ir::Intrinsic& expr);
    const MappedTensor* map_of(const ir::ExprRef& expr) const;
    Value tensor_of_map(const MappedTensor& map);
    void meet_lanes(const ir::Intrinsic& expr,
                    int of_threads = 32); // which all lanes of a warp execute together, or of four

    Term running() const {
        return m_terms.both(m_when, m_terms.negate(m_terms.either(m_state.returned, m_state.left)));
    }
    template <class Body>
    auto under(Term condition, Body&& body) {
        const Term before = std::exchange(m_when, m_terms.both(m_when, condition));
        struct Restore {
            Term& at;
            Term before;
            ~Restore() { at = before; }
        } restore{m_when, before};
        return body();
    }

    Terms& m_terms;
    KernelFacts& m_facts;
    ThreadState m_state;
    Term m_when;                    // the conditions around this place
    Term m_comes_when = nullptr;    // those of the iteration around it to which threads come together; null: of none
    std::vector<Term> m_iterations; // of the loops around it, which threads are at for themselves
    std::vector<Moment::Around> m_loops;
    int m_place = 0;
    enum class Waits : std::uint8_t {
        AreAsked, // a test of an mbarrier may hold or not
        GoOn,     // it does not: the loop asks again
        AreOver,  // it does: the loop has ended
    };
    Waits m_waits = Waits::AreAsked;
    std::unordered_map<const ir::Var*, MappedTensor> m_maps; // by tensor maps
    std::array<ir::VarRef, 3> m_group_counters;              // CopyGroup, BulkGroup, Product
    ir::VarRef m_named_barriers;
    std::unordered_map<const ir::Var*, Value> m_lets;
    std::unordered_map<const ir::Var*, int> m_objects;
    std::map<std::pair<int, Term>, Value> m_elements; // of arrays of the launch function, by object and offset
    std::unordered_set<std::string> m_written;        // names of objects, of the walk before
    bool m_is_host = false;
    bool m_has_syncs = false;   // barriers that count who arrives are somewhere in the kernel
    bool m_is_silent = false;   // notes nothing but what is open
    bool m_is_repeated = false; // one iteration of a loop that is walked as a whole, too
};

} // namespace hidet::compiler::prove
