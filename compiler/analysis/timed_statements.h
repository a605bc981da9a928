// SPDX-License-Identifier: Apache-2.0
// Which statements of a kernel a pipeline is made of: those that begin copies, wait, multiply, or write results. They are the
// ones that the emulator's timeline has events for.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "compiler/artifact/marks.h"
#include "compiler/ir/func.h"

namespace hidet::compiler {

struct TimedStatement {
    artifact::TimedKind kind{};
    artifact::AwaitedKind awaited{}; // of a wait
    std::string barrier = {};        // likewise; of a copy: the one in memory that counts its bytes
    Origin origin;
    ir::ExprRef index = {};     // which of several barriers, or of several stages that copies fill; null: not known
    ir::ExprRef to = {};        // of copies that are waited for in groups: where the first one writes
    bool begins_copies = false; // else it closes a group of them
    bool closes_group = false;
    int pending = -1; // of a wait for copies: groups that it leaves under way
};

class TimedStatements {
public:
    explicit TimedStatements(const ir::Function& kernel);
    // A statement by itself, not what lies in its bodies. Of a while loop, its condition: one that waits, turn by turn.
    std::optional<TimedStatement> of(const ir::Stmt& stmt) const;

private:
    std::optional<TimedStatement> of_call(const ir::Intrinsic& call) const;
    TimedStatement copy_by(const ir::Intrinsic& call, const ir::ExprRef& to) const;
    ir::ExprRef stage_index(const ir::ExprRef& place) const;
    bool is_global(const ir::ExprRef& base) const;

    const ir::Function& m_kernel;
    std::unordered_map<const ir::Var*, const ir::DeclareStmt*> m_declared;
};

} // namespace hidet::compiler
