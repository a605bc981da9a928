// SPDX-License-Identifier: Apache-2.0
// Takes a thread through the statements of a kernel.
//
// A loop without barriers is walked once, at any iteration: threads are at iterations of their own. In one with a barrier all
// threads are at the same. Between two of its barriers lie the end of one iteration and the beginning of the next, so it is
// walked at its first iteration behind what came before, at any other one behind the end of the one before that, and its last end
// is left open for what follows.
#pragma once

#include "compiler/prove/carried_values.h"

namespace hidet::compiler::prove {

class KernelWalk final : public ThreadValues {
public:
    KernelWalk(Terms& terms, KernelFacts& facts, View view, const Ask& solver)
        : ThreadValues(terms, facts), m_view(view), m_solver(solver) {}

    // What holds where the kernel is launched: conditions around it, and what its parameters are.
    void enter_host(const ir::Function& host, const ir::LaunchStmt& launch, const ir::Function& kernel);
    void open_indices(const ir::Function& kernel, const KernelFacts* same_as);
    void run_kernel(const ir::Function& kernel);
    void remember_written(const KernelFacts& before);

private:
    struct Loop {
        const ir::Stmt* stmt = nullptr;
        const ir::Var* var = nullptr; // null: a while loop
        Term extent = nullptr;
        ir::ExprRef condition; // of a while loop
        ir::StmtRef body;
        std::vector<CarriedValue> carried;
        bool is_left_early = false;
        bool is_complete = true; // see Moment
        bool meets = false;      // at barriers, so that threads come to its iterations together
        int place = 0, end = 0;
    };

    void run(const ir::StmtRef& stmt);
    void run_statement(const ir::StmtRef& stmt);
    int places_of(const ir::Stmt& stmt);
    void run_if(const ir::IfStmt& branch);
    void join(OpenAccess& known, const OpenAccess& other);
    static std::vector<OpenAccess>::iterator find_same(std::vector<OpenAccess>& in, const OpenAccess& open);
    static void drop_untouched(const std::vector<OpenAccess>& before, std::vector<OpenAccess>& a,
                               std::vector<OpenAccess>& b);
    void declare(const ir::DeclareStmt& stmt);
    Value as_kept(const ir::Var& var, Value value);
    void find_variables(const ir::StmtRef& body);
    void assign(const ir::Var& var, Value value);
    void store(const ir::StoreStmt& stmt);
    void run_assembly(const ir::AsmStmt& stmt);
    void keep_open_behind_barrier(std::vector<OpenAccess>& open) const;
    void end_of_kernel(const ir::Function& kernel);
    Same meeting_same() const { return m_view == View::Cluster ? Same::InLaunch : Same::InBlock; } // of who meets
    void hand_over(const ir::ExprRef& arg, const ir::Var& param);
    void launch_here(const ir::LaunchStmt& stmt);
    void meet(const ir::Intrinsic& barrier) override;
    void assume(Term holds);

    void run_loop(Loop loop);
    void run_open_loop(Loop& loop);
    void wait_in_later_iterations(Loop& loop, const ThreadState& before, Term iteration);
    bool may_be_under_way(const std::vector<OpenAccess>& open, const Loop& loop, Term iteration);
    std::vector<OpenAccess> open_behind(Loop& loop, const ThreadState& before, Term iteration, Term holds,
                                        std::vector<OpenAccess> open);
    std::vector<OpenAccess> left_open(Loop& loop, const ThreadState& before, Term iteration,
                                      std::vector<OpenAccess> open);
    bool is_reached(const Loop& loop);
    void run_meeting_loop(Loop& loop);
    void follow_carried(Loop& loop, bool meets);
    Term iteration_symbol(const Loop& loop, Same same, const char* why);
    bool walk_unknown(Loop& loop, bool meets, std::vector<Term>& unknowns, std::vector<Term>& after, Term& during);
    // One iteration; the conditions `holds` are those beside what the loop asks for.
    void run_iteration(Loop& loop, Term iteration, Term holds);
    void leave_loop(Loop& loop, const ThreadState& before);
    Term loop_condition(const Loop& loop, Waits waits);
    bool is_meeting(const ir::Intrinsic& barrier) const; // of all that the view is about
    bool does_meet(const ir::StmtRef& body) const;
    bool meets_in_each_iteration(const ir::StmtRef& body) const;
    static Value merged(Terms& terms, Term condition, const Value& a, const Value& b);

    const View m_view;
    const Ask& m_solver;
    const ir::LaunchStmt* m_launch = nullptr; // that is looked for
    const ir::Function* m_kernel = nullptr;
    bool m_has_launched = false;
    bool m_has_copies = false; // by the copy unit, or products: what reaches memory asynchronously
    std::unordered_map<const ir::Stmt*, int> m_places;
    std::unordered_set<const ir::Var*> m_steering; // variables of the kernel that have a say in what it does
    std::unordered_set<const ir::Var*> m_assigned, m_pointed_at;
};

} // namespace hidet::compiler::prove
