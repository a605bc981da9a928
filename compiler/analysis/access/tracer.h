// SPDX-License-Identifier: Apache-2.0
// Runs a kernel for all threads of a block at once, with the indices of blocks and the variables of loops open (domain.h), and
// computes nothing but integers and addresses: what decides where memory is touched, and how often.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "compiler/analysis/access/access_map.h"
#include "compiler/analysis/access/bounds.h"
#include "compiler/analysis/access/footprint.h"
#include "compiler/analysis/access/requests.h"
#include "compiler/ir/stmt.h"
#include "compiler/ir/wide_access.h"

namespace hidet::compiler::access {

// Why a variable is not known in a loop that changes it otherwise than by steps; known by its address.
inline constexpr char stale[] = "a value that the loop changes";

// What threads know of integers and addresses, and of which memory they are. What becomes of that who derives from it says.
class TracedValues {
protected:
    ~TracedValues() = default;
    TracedValues(const ir::Function& kernel, const SymbolValues& sizes);

    struct Cell {
        Value value;
        Mask declared;  // the threads that ran where it was declared
        int guards = 0; // conditions on data around that place
    };
    struct Object { // what addresses lie in
        const ir::Var* var = nullptr;
        std::string name;
        std::int64_t begin = 0;                        // of shared memory, in the block's
        std::unordered_map<std::int64_t, Value> slots; // of registers, what is known of them
    };

    virtual void touched(const ir::Node& at, AccessKind kind, const Value& address, int bytes, const ir::ExprRef& base,
                         const Mask& mask, const Value* lane_bytes, const CopySource* from) = 0;
    // What no lanes of a warp do, or nobody can see.
    virtual void touch_elsewhere(const ir::Node& at, AccessKind kind, const char* why, bool is_shared = false) = 0;
    virtual void copy_by_unit(const ir::Intrinsic& expr, std::span<const Value> args, const Mask& mask) = 0;
    // That accesses stay within their tensors: then numbers that are not known are not taken for others.
    virtual bool proves() const { return false; }

    // Values, tracer_exprs.cpp.
    Value eval(const ir::ExprRef& expr, const Mask& mask);
    Value eval_binary(const ir::Binary& expr, const Mask& mask);
    Value eval_select(const ir::Select& expr, const Mask& mask);
    Value eval_intrinsic(const ir::Intrinsic& expr, const Mask& mask);
    void use_operand(const ir::Intrinsic& expr, std::size_t index, const Value& value, const Mask& mask, bool copies);
    Value eval_builtin(ir::Builtin which);
    Value eval_cast(const ir::Cast& expr, const Mask& mask);
    Value read_variable(const ir::Var& var);
    void forget(const ir::ExprRef& place, const char* why);
    Value size_of(const ir::Node& node, const std::string& name);
    Value lane_of_thread(ir::Builtin which);
    Value clusters_rank();
    Mask where(const Value& condition, const Mask& mask) const;
    bool may_wrap(const Value& value, ir::DType dtype) const;
    int atom_of(const ir::Node& node, const std::string& name, bool is_bounded);
    void guard_on_data(const char* why, const std::function<void()>& body);

    // Memory, tracer_memory.cpp.
    Value address_of(const ir::ExprRef& place, const Mask& mask); // of an element, a variable, what a pointer points at
    Value address_of_element(const ir::ExprRef& base, const ir::ExprVec& indices, const Mask& mask);
    Value slot(const ir::ExprRef& base, const ir::ExprVec& indices, const Mask& mask);
    Value load(const ir::Expr& at, const Value& address, const ir::TypeRef& type, const ir::ExprRef& base,
               const Mask& mask);
    void touch(const ir::Node& at, AccessKind kind, const Value& address, int bytes, const ir::ExprRef& base,
               const Mask& mask, const Value* lane_bytes = nullptr, const CopySource* from = nullptr);
    std::array<int, 1024> sizes_of(int bytes, const Mask& mask, const Value* lane_bytes) const;
    std::string name_of(const Value& address, const ir::ExprRef& base) const;
    int object_of(const ir::Var* var, Memory memory, std::int64_t bytes);
    void copy_async(const ir::Intrinsic& expr, const Mask& mask);
    void move_matrices(const ir::Intrinsic& expr, const Mask& mask);
    void move_tile(const ir::Intrinsic& expr, const Mask& mask);
    void access_wide(const ir::Intrinsic& expr, const ir::WideAccess& wide, const Mask& mask);

    const ir::Function& m_kernel;
    const SymbolValues& m_sizes;
    std::array<std::int64_t, 3> m_block{1, 1, 1}, m_grid{1, 1, 1}, m_cluster{1, 1, 1};
    bool m_knows_grid = true;
    Domain m_domain;
    std::array<int, 3> m_axes{};
    std::unordered_map<const ir::Node*, int> m_atoms;
    std::uint64_t m_unknown = 0; // those whose numbers are not known
    std::unordered_map<const ir::ExprVec*, ir::ExprRef>
        m_slots; // by the indices of elements of layouts that are no strides
    std::unordered_map<const ir::TensorType*, ir::LayoutRef> m_layouts; // of those that name none
    std::array<std::optional<Value>, 4> m_thread_lanes;                 // x, y, z, and of a cluster

    // Of one run.
    std::unordered_map<const ir::Var*, Cell> m_cells;
    std::vector<Object> m_objects;
    Mask m_all;
    std::int64_t m_shared_bytes = 0;
    int m_guards = 0; // conditions on data around this place
    const char* m_guard = "";
    bool m_counts = true;
    bool m_read_stale = false;
    std::int64_t m_work = 0;
    bool m_stopped = false;
};

// Goes over the statements of a kernel, tracer.cpp.
class Tracer : public TracedValues {
public:
    Tracer(const ir::Module& module, const ir::Function& kernel, const SymbolValues& sizes, const Limits& limits)
        : TracedValues(kernel, sizes), m_module(module), m_limits(limits) {}

protected:
    struct Loop {
        const ir::Stmt* stmt = nullptr;
        int atom = -1; // -1: a while loop
        std::string variable;
        std::int64_t trips = 0;
        Mask broken, continued;
    };

    virtual void begin() = 0;                       // nothing has been found
    virtual bool is_wanted() const { return true; } // these blocks
    // A loop of which it is not known how often it runs.
    virtual void run_any_turn(const ir::ForStmt& loop, const Value& extent, const Mask& mask);

    bool trace(); // as often as it takes; false: it was cancelled
    void run_blocks(int axis);
    void begin_block();
    void run(const ir::StmtRef& stmt, const Mask& mask);
    Mask running(const Mask& mask) const; // those that have not left
    void run_seq(const ir::SeqStmt& seq, const Mask& mask);
    void run_if(const ir::IfStmt& branch, const Mask& mask);
    void run_for(const ir::ForStmt& loop, const Mask& mask);
    void run_stretch(const ir::ForStmt& loop, const Stretch& stretch, const Value& extent, const Mask& mask);
    void run_open(const ir::ForStmt& loop, int atom, const Mask& mask);
    void run_while(const ir::WhileStmt& loop, const Mask& mask);
    void leave(const ir::Stmt& stmt, const Mask& mask);
    void declare(const ir::DeclareStmt& stmt, const Mask& mask);
    void assign(const ir::Var& var, const Value& value, const Mask& mask);
    void store(const ir::StoreStmt& stmt, const Mask& mask);
    void write(const ir::Stmt& stmt, const ir::ExprRef& base, const Value& address, const Value& value,
               const Mask& mask);
    void write_unknown(const ir::Stmt& stmt, const ir::ExprRef& place, const char* why, const Mask& mask);
    const std::vector<const ir::Var*>& carried_by(const ir::Stmt& loop, const ir::StmtRef& body);
    void forget_carried(const ir::Stmt& loop, const ir::StmtRef& body);
    bool is_exhausted();
    const std::shared_ptr<const Box>& box_behind(const ir::ExprRef& map);

    const ir::Module& m_module;
    const Limits& m_limits;
    std::unordered_map<const ir::Node*, std::vector<const ir::Var*>> m_carried;
    std::unordered_set<const ir::Stmt*> m_left_early; // loops that data may end
    std::unordered_map<const ir::Var*, std::shared_ptr<const Box>> m_boxes;

    // Of one run.
    std::vector<Loop> m_loops;
    std::vector<int> m_open; // atoms that are entered
    Mask m_returned;
    double m_weight = 1;
    int m_cut_short = 0; // stretches that stand for others
    bool m_again = false;
    bool m_samples = false;
    bool m_may_have_left = false; // data may have let threads of this block return
    bool m_skipped_turns = false; // of a loop of this block, for lack of time
};

// Counts accesses, and what the copy unit moves, tracer_counts.cpp.
class AccessTracer final : public Tracer {
public:
    using Tracer::Tracer;
    std::vector<Access> accesses();

private:
    struct Site {
        Access access;
        bool is_seen = false;
        std::vector<Requests> requests;
    };

    void begin() override { m_sites.clear(), m_sites_of.clear(); }
    void touched(const ir::Node& at, AccessKind kind, const Value& address, int bytes, const ir::ExprRef& base,
                 const Mask& mask, const Value* lane_bytes, const CopySource* from) override;
    void touch_elsewhere(const ir::Node& at, AccessKind kind, const char* why, bool is_shared) override;
    void copy_by_unit(const ir::Intrinsic& expr, std::span<const Value> args, const Mask& mask) override;

    void note_held(std::vector<Access>& accesses) const;
    Site& site_of(const ir::Node& at, AccessKind kind, bool is_shared);
    void surround(Access& access) const;
    void note_guards(Access& access) const;
    void note_around(Access& access, const Value& value) const;
    void count(Site& site, const Value& address, int bytes, const Mask& mask, const Value* lane_bytes,
               const CopySource* from);
    Requests& requests_of(Site& site, const Value& address, const std::array<int, 1024>& bytes, const CopySource* from);
    void picture(Site& site, const Value& address, const Mask& mask, const std::array<int, 1024>& bytes);
    void count_row(const ir::Intrinsic& expr, const Value& bytes, const Value& address, const Value& blocks,
                   const Mask& mask);
    void count_box(const ir::Intrinsic& expr, std::span<const Value> coordinates, const Value& blocks,
                   const Mask& mask);
    Access& copied(const ir::Intrinsic& expr, bool is_shared, const std::string& tensor, std::int64_t bytes,
                   int element_bytes, std::span<const Value> places);
    using Instance = std::function<void(std::span<const std::int64_t> at, double times)>;
    bool each_instance(std::span<const Value> values, const Mask& mask, const Instance& instance);

    std::vector<Site> m_sites;
    std::unordered_map<const ir::Node*, std::vector<std::size_t>> m_sites_of;
};

// What blocks touch, tracer_footprint.cpp.
class FootprintTracer final : public Tracer {
public:
    FootprintTracer(const ir::Module& module, const ir::Function& kernel, const SymbolValues& sizes,
                    const Limits& limits, const FootprintRequest& request)
        : Tracer(module, kernel, sizes, limits), m_wanted(request) {}
    Footprint footprint();

private:
    struct Pattern { // what threads touch, from the lowest byte on
        std::shared_ptr<const Lanes> lanes;
        Mask mask;
        std::shared_ptr<const ByteSet> set;
        std::int64_t lowest = 0;
        std::uint64_t shape = 0;
    };

    void begin() override { m_footprint = {}; }
    bool is_wanted() const override;
    void touched(const ir::Node& at, AccessKind kind, const Value& address, int bytes, const ir::ExprRef& base,
                 const Mask& mask, const Value* lane_bytes, const CopySource* from) override;
    void touch_elsewhere(const ir::Node&, AccessKind, const char*, bool) override {}
    void copy_by_unit(const ir::Intrinsic& expr, std::span<const Value> args, const Mask& mask) override;

    FootprintPart open_part() const;
    bool place_in(Place& out, const FootprintPart& part, const Value& value) const;
    void note_part(FootprintPart part, const Value* address, std::span<const Value> coordinates);
    void note_box(const ir::Intrinsic& expr, std::span<const Value> coordinates, bool writes, const Mask& mask);
    std::vector<std::vector<Value>> by_thread(std::span<const Value> values, const Mask& mask) const;
    const Pattern& pattern_of(const ir::Node& at, const Value& address, const std::array<int, 1024>& sizes,
                              const Mask& mask, bool has_sizes);

    const FootprintRequest& m_wanted;
    Footprint m_footprint;
    std::unordered_map<const ir::Node*, std::vector<Pattern>> m_patterns;
};

// Whether accesses stay within their tensors, tracer_bounds.cpp.
class BoundsTracer final : public Tracer {
public:
    using Tracer::Tracer;
    // `any_size`: elements that are inside whatever the sizes are.
    std::vector<BoundsCheck> bounds(const std::unordered_set<const ir::Node*>& any_size);

private:
    struct Proof {
        BoundsCheck check;
        const ir::Node* element = nullptr; // that it is, or is the address of
        bool is_element = false;           // whose indices alone decide
    };
    struct Outside {
        std::size_t thread = 0;
        std::unordered_map<int, std::int64_t> at; // of open variables, behind their beginnings; others are at them
        std::int64_t threads = 0;
    };

    void begin() override { m_proofs.clear(), m_proofs_of.clear(); }
    bool proves() const override { return true; }
    void touched(const ir::Node& at, AccessKind kind, const Value& address, int bytes, const ir::ExprRef& base,
                 const Mask& mask, const Value* lane_bytes, const CopySource* from) override;
    void touch_elsewhere(const ir::Node& at, AccessKind kind, const char* why, bool is_shared) override;
    void copy_by_unit(const ir::Intrinsic& expr, std::span<const Value> args, const Mask& mask) override;
    void run_any_turn(const ir::ForStmt& loop, const Value& extent, const Mask& mask) override;

    void prove_indices(Proof& proof, const ir::TensorType& tensor, const ir::ExprVec& indices, const Mask& mask,
                       bool is_checked);
    void prove_bytes(Proof& proof, const Value& address, const std::array<int, 1024>& bytes, const Mask& mask);
    Proof& proof_of(const ir::Node& at, AccessKind kind, bool is_shared);
    static void leave_open(Proof& proof, const char* why);
    void note_escape(Proof& proof, Escape escape, const char* doubt);
    std::optional<Outside> outside_of(const Value& value, const Value& over, const Mask& mask) const;
    std::unordered_map<int, std::int64_t> ends_of(const Terms& terms, bool is_highest, std::int64_t by) const;
    std::int64_t number_at(const Value& value, const Outside& outside) const;
    Escape escape_at(std::size_t thread, const std::unordered_map<int, std::int64_t>& at) const;
    std::optional<std::int64_t> bytes_of_object(const Object& object) const;

    std::vector<Proof> m_proofs;
    std::unordered_map<const ir::Node*, std::vector<std::size_t>> m_proofs_of;
};

} // namespace hidet::compiler::access
