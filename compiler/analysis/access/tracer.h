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

class Tracer {
public:
    Tracer(const ir::Module& module, const ir::Function& kernel, const SymbolValues& sizes, const Limits& limits);
    std::vector<Access> run();
    Footprint footprint(const FootprintRequest& request);
    // `any_size`: elements that are inside whatever the sizes are.
    std::vector<BoundsCheck> bounds(const std::unordered_set<const ir::Node*>& any_size);

private:
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
    struct Loop {
        const ir::Stmt* stmt = nullptr;
        int atom = -1; // -1: a while loop
        std::string variable;
        std::int64_t trips = 0;
        Mask broken, continued;
    };
    struct Site {
        Access access;
        bool is_seen = false;
        std::vector<Requests> requests;
    };

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

    // Running, tracer.cpp.
    void note_held(std::vector<Access>& accesses) const;
    void trace();
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
    void forget(const ir::ExprRef& place, const char* why);
    const std::vector<const ir::Var*>& carried_by(const ir::Stmt& loop, const ir::StmtRef& body);
    bool writes_registers(const ir::ForStmt& loop);
    int atom_of(const ir::Node& node, const std::string& name, bool is_bounded);
    void guard_on_data(const char* why, const std::function<void()>& body);
    bool is_exhausted();

    // What blocks touch, tracer_footprint.cpp.
    bool is_wanted() const; // these blocks
    FootprintPart open_part() const;
    bool place_in(Place& out, const FootprintPart& part, const Value& value) const;
    void note_part(FootprintPart part, const Value* address, std::span<const Value> coordinates);
    void note_touch(const ir::Node& at, AccessKind kind, const Value& address, int bytes, const ir::ExprRef& base,
                    const Mask& mask, const Value* lane_bytes);
    void note_copy(const ir::Intrinsic& expr, std::span<const Value> args, const Mask& mask);
    void note_box(const ir::Intrinsic& expr, std::span<const Value> coordinates, bool writes, const Mask& mask);
    std::vector<std::vector<Value>> by_thread(std::span<const Value> values, const Mask& mask) const;

    // Whether accesses stay within their tensors, tracer_bounds.cpp.
    static constexpr std::size_t most_turns = 1 << 16;
    void prove(const ir::Node& at, AccessKind kind, const Value& address, int bytes, const ir::ExprRef& base,
               const Mask& mask, const Value* lane_bytes);
    void prove_copy(const ir::Intrinsic& expr, std::span<const Value> args, const Mask& mask);
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
    bool may_wrap(const Value& value, ir::DType dtype) const;
    void forget_carried(const ir::Stmt& loop, const ir::StmtRef& body);
    void run_any_turn(const ir::ForStmt& loop, const Value& extent, const Mask& mask);

    // What the copy unit moves, tracer_copies.cpp.
    void count_copy(const ir::Intrinsic& expr, std::span<const Value> args, const Mask& mask);
    void count_row(const ir::Intrinsic& expr, const Value& bytes, const Value& address, const Value& blocks,
                   const Mask& mask);
    void count_box(const ir::Intrinsic& expr, std::span<const Value> coordinates, const Value& blocks,
                   const Mask& mask);
    const std::shared_ptr<const Box>& box_behind(const ir::ExprRef& map);
    Access& copied(const ir::Intrinsic& expr, bool is_shared, const std::string& tensor, std::int64_t bytes,
                   int element_bytes, std::span<const Value> places);
    using Instance = std::function<void(std::span<const std::int64_t> at, double times)>;
    bool each_instance(std::span<const Value> values, const Mask& mask, const Instance& instance);

    // Values, tracer_exprs.cpp.
    Value eval(const ir::ExprRef& expr, const Mask& mask);
    Value eval_binary(const ir::Binary& expr, const Mask& mask);
    Value eval_select(const ir::Select& expr, const Mask& mask);
    Value eval_intrinsic(const ir::Intrinsic& expr, const Mask& mask);
    void use_operand(const ir::Intrinsic& expr, std::size_t index, const Value& value, const Mask& mask, bool copies);
    Value eval_builtin(ir::Builtin which);
    Value eval_cast(const ir::Cast& expr, const Mask& mask);
    Value read_variable(const ir::Var& var);
    Value size_of(const ir::Node& node, const std::string& name);
    Value lane_of_thread(ir::Builtin which);
    Value clusters_rank();
    Mask where(const Value& condition, const Mask& mask) const;

    // Memory, tracer_memory.cpp.
    Value address_of(const ir::ExprRef& place, const Mask& mask); // of an element, a variable, what a pointer points at
    Value address_of_element(const ir::ExprRef& base, const ir::ExprVec& indices, const Mask& mask);
    Value pointer(const ir::ExprRef& base, const Mask& mask);
    Value slot(const ir::ExprRef& base, const ir::ExprVec& indices, const Mask& mask);
    Value load(const ir::Expr& at, const Value& address, const ir::TypeRef& type, const ir::ExprRef& base,
               const Mask& mask);
    void touch(const ir::Node& at, AccessKind kind, const Value& address, int bytes, const ir::ExprRef& base,
               const Mask& mask, const Value* lane_bytes = nullptr, const CopySource* from = nullptr);
    void surround(Access& access) const;
    void note_guards(Access& access) const;
    void note_around(Access& access, const Value& value) const;
    std::array<int, 1024> sizes_of(int bytes, const Mask& mask, const Value* lane_bytes) const;
    void count(Site& site, const Value& address, int bytes, const Mask& mask, const Value* lane_bytes,
               const CopySource* from);
    Requests& requests_of(Site& site, const Value& address, const std::array<int, 1024>& bytes, const CopySource* from);
    void picture(Site& site, const Value& address, const Mask& mask, const std::array<int, 1024>& bytes);
    std::string name_of(const Value& address, const ir::ExprRef& base) const;
    void touch_elsewhere(const ir::Node& at, AccessKind kind, const char* why, bool is_shared = false);
    int object_of(const ir::Var* var, Memory memory, std::int64_t bytes);
    void copy_async(const ir::Intrinsic& expr, const Mask& mask);
    void move_matrices(const ir::Intrinsic& expr, const Mask& mask);
    void move_tile(const ir::Intrinsic& expr, const Mask& mask);
    void access_wide(const ir::Intrinsic& expr, const ir::WideAccess& wide, const Mask& mask);
    Site& site_of(const ir::Node& at, AccessKind kind, bool is_shared);

    const ir::Module& m_module;
    const ir::Function& m_kernel;
    const SymbolValues& m_sizes;
    const Limits& m_limits;
    std::array<std::int64_t, 3> m_block{1, 1, 1}, m_grid{1, 1, 1}, m_cluster{1, 1, 1};
    bool m_knows_grid = true;
    Domain m_domain;
    std::array<int, 3> m_axes{};
    std::unordered_map<const ir::Node*, int> m_atoms;
    std::uint64_t m_unknown = 0; // those whose numbers are not known
    std::unordered_map<const ir::Node*, std::vector<const ir::Var*>> m_carried;
    std::unordered_map<const ir::ExprVec*, ir::ExprRef>
        m_slots; // by the indices of elements of layouts that are no strides
    std::unordered_map<const ir::TensorType*, ir::LayoutRef> m_layouts; // of those that name none
    std::array<std::optional<Value>, 4> m_thread_lanes;                 // x, y, z, and of a cluster
    std::unordered_set<const ir::Stmt*> m_left_early;                   // loops that data may end

    // Of one run.
    std::unordered_map<const ir::Var*, Cell> m_cells;
    std::vector<Object> m_objects;
    std::vector<Loop> m_loops;
    std::vector<int> m_open; // atoms that are entered
    std::vector<Site> m_sites;
    std::unordered_map<const ir::Node*, std::vector<std::size_t>> m_sites_of;
    Mask m_all, m_returned;
    double m_weight = 1;
    std::int64_t m_shared_bytes = 0;
    int m_guards = 0; // conditions on data around this place
    const char* m_guard = "";
    int m_cut_short = 0; // stretches that stand for others
    bool m_counts = true;
    bool m_read_stale = false;
    bool m_again = false;

    std::int64_t m_work = 0;
    bool m_samples = false;
    bool m_stopped = false;

    bool m_proves = false; // that accesses stay within their tensors; else accesses are counted
    std::vector<Proof> m_proofs;
    std::unordered_map<const ir::Node*, std::vector<std::size_t>> m_proofs_of;
    bool m_may_have_left = false; // data may have let threads of this block return
    bool m_skipped_turns = false; // of a loop of this block, for lack of time

    const FootprintRequest* m_wanted = nullptr; // null: accesses are counted, not what blocks touch
    Footprint m_footprint;
    struct Pattern { // what threads touch, from the lowest byte on
        std::shared_ptr<const Lanes> lanes;
        Mask mask;
        std::shared_ptr<const ByteSet> set;
        std::int64_t lowest = 0;
        std::uint64_t shape = 0;
    };
    const Pattern& pattern_of(const ir::Node& at, const Value& address, const std::array<int, 1024>& sizes,
                              const Mask& mask, bool has_sizes);
    std::unordered_map<const ir::Node*, std::vector<Pattern>> m_patterns;
    std::unordered_map<const ir::Var*, std::shared_ptr<const Box>> m_boxes;
};

} // namespace hidet::compiler::access
