// SPDX-License-Identifier: Apache-2.0
// Post-scheduling fusion. The anchor has been scheduled as if it was alone. Where it loads an element of a tensor that a
// prologue makes, the prologue's expression for that element takes the place of the load, and its operands become
// parameters. Where it stores an element of a tensor that an epilogue reads, the epilogue's inverse map says which element
// of its result that is, and its expression for it is stored there, with the stored value in the place of the read. Both go
// on until only tensors from outside of the piece are left.
#include <algorithm>
#include <functional>

#include "compiler/graph/fuse/provenance.h"
#include "compiler/ir/each_node.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/schedule/kernel.h"
#include "compiler/schedule/stages.h"
#include "lang/base/check.h"

namespace hidet::graph {

using namespace ir;

namespace {

constexpr std::uint32_t small_index = 12;    // nodes: written again rather than given a name
constexpr std::uint16_t deepest_inline = 60; // of a value that only one epilogue uses

// Some dimensions of both shapes that have the same number of elements.
struct Part {
    std::size_t from_begin = 0, from_end = 0;
    std::size_t to_begin = 0, to_end = 0;
};

Shape slice(const Shape& shape, std::size_t begin, std::size_t end) {
    return {shape.begin() + static_cast<std::ptrdiff_t>(begin), shape.begin() + static_cast<std::ptrdiff_t>(end)};
}

// As many parts as can be told apart, from the last dimension on: a symbol meets itself, or is in one part with all
// before it.
std::vector<Part> parts_of(const Shape& from, const Shape& to) {
    std::vector<Part> parts;
    std::size_t a_end = from.size(), b_end = to.size();
    while (a_end > 0 || b_end > 0) {
        std::size_t a = a_end, b = b_end;
        Dim left = dim(1), right = dim(1);
        do {
            const auto l = constant_of(left), r = constant_of(right);
            // What is not known is taken for the larger one.
            const bool takes_left = b == 0 || (a > 0 && (!r || (l && *l <= *r)));
            if (takes_left)
                left = simplified(mul(from[--a], left));
            else
                right = simplified(mul(to[--b], right));
        } while (!(same_dim(left, right) && a < a_end && b < b_end) && (a > 0 || b > 0));
        // What is left before it is of one element each.
        const auto is_one = [](const Dim& extent) { return is_constant(extent, 1); };
        while (a > 0 && b == 0 && is_one(from[a - 1]))
            --a;
        while (b > 0 && a == 0 && is_one(to[b - 1]))
            --b;
        parts.push_back({a, a_end, b, b_end});
        a_end = a, b_end = b;
    }
    return parts;
}

ExprRef flat(const ExprVec& indices, const Shape& shape, std::size_t begin, std::size_t end) {
    ExprRef place = i64(0);
    for (std::size_t d = begin; d < end; ++d)
        place = simplified(add(mul(place, shape[d]), cast_to(indices[d], DType::I64)));
    return place;
}

// Where the element at `indices` of a tensor of shape `from` is when its shape is `to`, which has as many elements, row by
// row. What the shapes have in common costs nothing: [128, 768] and [1, 128, 12, 64] divide the last index alone.
ExprVec regrouped(const ExprVec& indices, const Shape& from, const Shape& to) {
    if (same_shape(from, to))
        return indices;
    HIDET_CHECK(indices.size() == from.size(), text_of(from));
    ExprVec result(to.size());
    for (const Part& part : parts_of(from, to)) {
        if (part.from_end - part.from_begin == 1 && part.to_end - part.to_begin == 1) {
            result[part.to_begin] = indices[part.from_begin];
            continue;
        }
        const ExprRef place = flat(indices, from, part.from_begin, part.from_end);
        const ExprVec axes = unflatten(place, slice(to, part.to_begin, part.to_end));
        for (std::size_t i = 0; i < axes.size(); ++i)
            result[part.to_begin + i] = axes[i];
    }
    return result;
}

using ReadInput = std::function<ExprRef(std::size_t input, ExprVec indices)>;

class StageInliner : public Rewriter {
public:
    StageInliner(const Task& task, const ReadInput& read) : m_task(task), m_read(read) {}

    ExprRef element(const Stage& stage, const ExprVec& indices) {
        HIDET_CHECK(!stage.reduction, m_task.name);
        return rewrite(value_at(stage, indices));
    }

protected:
    using Rewriter::visit;
    ExprRef visit(const TensorElement& expr) override {
        const auto* tensor = as<Var>(expr.base);
        if (!tensor)
            return rebuild(expr);
        for (std::size_t i = 0; i < m_task.inputs.size(); ++i)
            if (m_task.inputs[i].get() == tensor)
                return m_read(i, rewrite(expr.indices));
        // Reads in the indices are replaced together with those of the stage.
        const Stage* stage = m_task.stage_of(*tensor);
        return stage ? element(*stage, expr.indices) : rebuild(expr);
    }

private:
    const Task& m_task;
    const ReadInput& m_read;
};

// What an injective task gives for an element of an output, in terms of elements of its inputs.
ExprRef element_of(const Task& task, std::size_t output, const ExprVec& indices, const ReadInput& read) {
    const Stage* stage = task.stage_of(*task.outputs[output]);
    HIDET_CHECK(stage, task.name);
    return StageInliner(task, read).element(*stage, indices);
}

// Where an element of an input goes.
ExprVec mapped(const InverseMap& map, const ExprVec& indices) {
    Rewriter rewriter;
    for (std::size_t i = 0; i < map.axes.size(); ++i)
        rewriter.replace(map.axes[i], cast_to(indices[i], DType::I64));
    return transformed(map.indices, [&](const ExprRef& index) { return simplified(rewriter.rewrite(index)); });
}

ValueId value_of(const Piece& piece, const AnchorTensor& tensor) {
    return tensor.is_input ? piece.anchor().inputs[tensor.index] : piece.anchor().outputs[tensor.index];
}

bool is_fused(const Piece& piece, const AnchorTensor& tensor) {
    const ValueId value = value_of(piece, tensor);
    return tensor.is_input ? piece.is_prologue(value) : piece.has_epilogue(value);
}

// An anchor's tensor that is not fused, or stored all the same, is the graph's.
bool stays(const Piece& piece, const Provenance& provenance, const AnchorTensor& tensor) {
    if (!is_fused(piece, tensor))
        return true;
    const auto facts = provenance.facts.find(tensor);
    const bool is_read_back = facts != provenance.facts.end() && facts->second.is_read;
    return !tensor.is_input && (is_read_back || piece.is_needed_outside(value_of(piece, tensor)));
}

// Lets that one statement uses once become part of it.
void inline_values(StmtVec& stmts) {
    for (std::size_t i = stmts.size(); i-- > 0;) {
        const auto* let = as<DeclareStmt>(stmts[i]);
        if (!let || !let->is_let || let->init->depth > deepest_inline || !can_drop(let->init))
            continue;
        std::size_t user = 0;
        int uses = 0;
        for (std::size_t j = i + 1; j < stmts.size(); ++j) {
            each_node(stmts[j], [&](const Var& use) {
                if (&use == let->var.get())
                    ++uses, user = j;
            });
        }
        if (uses > 1 || (uses == 1 && user != i + 1))
            continue;
        if (uses == 1) {
            Rewriter rewriter;
            rewriter.replace(let->var, let->init);
            stmts[user] = rewriter.rewrite(stmts[user]);
        }
        stmts.erase(stmts.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

// Where a function finds tensors of the graph that it had no parameters for.
class ExtraTensors {
public:
    virtual ~ExtraTensors() = default;
    virtual VarRef tensor(ValueId value) = 0;
};

class AccessRewriter : public Rewriter {
public:
    struct Context {
        const Piece& piece;
        const Provenance& provenance;
        const std::map<std::string, std::vector<ValueId>>& extras; // of the functions done before
        const std::map<std::string, std::vector<bool>>& dropped;   // parameters that are gone
    };
    AccessRewriter(Context context, ExtraTensors& extra) : m_context(context), m_extra(extra) {}

    std::set<NodeId> done; // what the function computes besides the anchor

protected:
    using Rewriter::visit;

    ExprRef visit(const TensorElement& expr) override {
        const AnchorTensor* tensor = m_context.provenance.find(expr.base);
        if (!tensor || !tensor->is_input || !is_fused(m_context.piece, *tensor))
            return rebuild(expr);
        const ValueId value = value_of(m_context.piece, *tensor);
        return load(value, in_shape_of(value, expr.base, rewrite(expr.indices)));
    }
    StmtRef visit(const StoreStmt& stmt) override {
        const AnchorTensor* tensor = m_context.provenance.find(stmt.base);
        if (!tensor || tensor->is_input || !is_fused(m_context.piece, *tensor))
            return rebuild(stmt);
        const bool is_kept = stays(m_context.piece, m_context.provenance, *tensor);
        return stores(value_of(m_context.piece, *tensor), stmt.base, is_kept, rewrite(stmt.indices),
                      rewrite(stmt.value));
    }
    ExprRef visit(const Call& expr) override {
        return make_call(expr.callee, arguments(expr.callee, expr.args), expr.type);
    }
    StmtRef visit(const LaunchStmt& stmt) override {
        LaunchStmt copy = stmt;
        copy.args = arguments(stmt.kernel, stmt.args);
        for (ExprVec* dims : {&copy.grid, &copy.cluster, &copy.block})
            *dims = rewrite(*dims);
        copy.dynamic_smem_bytes = rewrite(copy.dynamic_smem_bytes);
        return make<LaunchStmt>(std::move(copy));
    }

private:
    ExprVec arguments(const std::string& callee, const ExprVec& args) {
        const auto dropped = m_context.dropped.find(callee);
        if (dropped == m_context.dropped.end())
            return rewrite(args);
        ExprVec result;
        for (std::size_t i = 0; i < args.size(); ++i)
            if (!dropped->second[i])
                result.push_back(rewrite(args[i]));
        for (ValueId extra : m_context.extras.at(callee))
            result.push_back(m_extra.tensor(extra));
        return result;
    }

    // A schedule may take a tensor in another shape than the graph has it.
    ExprVec in_shape_of(ValueId value, const ExprRef& base, ExprVec indices) const {
        const TensorType* type = tensor_of(as<Var>(base)->type);
        if (!type)
            return indices;
        return regrouped(indices, type->shape, m_context.piece.graph().value(value).spec.shape);
    }

    // ---- prologues --------------------------------------------------------------------------------------------------
    ExprRef load(ValueId value, ExprVec indices) {
        if (!m_context.piece.is_prologue(value))
            return make_element(m_extra.tensor(value), std::move(indices));
        const Value& made = m_context.piece.graph().value(value);
        const Node& node = m_context.piece.graph().node(made.producer);
        done.insert(made.producer);
        return graph::element_of(*node.task, made.output, indices, [&](std::size_t input, ExprVec at) {
            return load(node.inputs[input], std::move(at));
        });
    }

    // ---- epilogues --------------------------------------------------------------------------------------------------
    struct Stored {
        ExprRef value;
        ExprVec indices;
    };

    static VarRef named(const std::string& name, const ExprRef& value, StmtVec& stmts) {
        VarRef var = make_var(name, value->type);
        stmts.push_back(make_let_stmt(var, value));
        return var;
    }
    StmtRef stores(ValueId root, const ExprRef& base, bool is_kept, ExprVec indices, const ExprRef& value) {
        const Graph& graph = m_context.piece.graph();
        StmtVec stmts;
        for (ExprRef& index : indices)
            if (index->size > small_index || !can_drop(index))
                index = named("at", index, stmts);
        std::map<ValueId, Stored> stored;
        stored[root] = {named(m_context.piece.anchor().task->name + "_value", value, stmts),
                        in_shape_of(root, base, indices)};
        if (is_kept)
            stmts.push_back(make_store(rewrite(base), std::move(indices), stored[root].value));
        for (NodeId id : m_context.piece.group().nodes) {
            if (m_context.piece.role_of(id) != Role::Epilogue)
                continue;
            const Node& node = graph.node(id);
            const auto from = std::ranges::find_if(node.inputs, [&](ValueId input) { return stored.contains(input); });
            if (from == node.inputs.end())
                continue;
            const auto map = static_cast<std::size_t>(from - node.inputs.begin());
            stored[node.outputs[0]] = follow(node, map, stored, stmts);
            done.insert(id);
        }
        inline_values(stmts);
        return make_seq(std::move(stmts));
    }
    // One epilogue: its element that follows from the stored ones, stored if anybody outside wants it.
    Stored follow(const Node& node, std::size_t from, const std::map<ValueId, Stored>& stored, StmtVec& stmts) {
        HIDET_CHECK(node.task->inverse_maps[from], node.task->name);
        ExprVec indices = mapped(*node.task->inverse_maps[from], stored.at(node.inputs[from]).indices);
        const ExprRef value = graph::element_of(*node.task, 0, indices, [&](std::size_t input, ExprVec at) {
            const auto known = stored.find(node.inputs[input]);
            return known != stored.end() ? known->second.value : load(node.inputs[input], std::move(at));
        });
        Stored result{named(node.task->name + "_value", value, stmts), std::move(indices)};
        if (m_context.piece.is_needed_outside(node.outputs[0]))
            stmts.push_back(make_store(m_extra.tensor(node.outputs[0]), result.indices, result.value));
        return result;
    }

    const Context m_context;
    ExtraTensors& m_extra;
};

class ParameterTensors : public ExtraTensors {
public:
    explicit ParameterTensors(const Assembly& assembly) : m_assembly(assembly) {}
    VarRef tensor(ValueId value) override {
        const auto known = std::ranges::find(values, value);
        if (known != values.end())
            return params[static_cast<std::size_t>(known - values.begin())];
        values.push_back(value);
        params.push_back(m_assembly.make_parameter(value));
        return params.back();
    }
    std::vector<ValueId> values;
    VarVec params;

private:
    const Assembly& m_assembly;
};

class HostTensors : public ExtraTensors {
public:
    explicit HostTensors(Assembly& assembly) : m_assembly(assembly) {}
    VarRef tensor(ValueId value) override { return m_assembly.host(value); }

private:
    Assembly& m_assembly;
};

class Fuser {
public:
    Fuser(Assembly& assembly, const Piece& piece, const AnchorProgram& program)
        : m_assembly(assembly), m_piece(piece), m_program(program), m_provenance(trace_tensors(program)) {}

    void run() {
        for (const FunctionRef& function : m_program.functions)
            fuse(*function);
        HostTensors host(m_assembly);
        AccessRewriter rewriter({m_piece, m_provenance, m_extras, m_dropped}, host);
        bind(rewriter, m_program.inputs, true);
        bind(rewriter, m_program.outputs, false);
        for (const PackedInput& packed : m_program.packed)
            rewriter.replace(packed.variable, m_assembly.packed(m_piece.anchor().inputs[packed.input], packed.task));
        for (const VarRef& tensor : m_program.between)
            rewriter.replace(tensor, m_assembly.between(tensor));
        m_assembly.run(rewriter.rewrite(m_program.launch));
    }

private:
    void bind(AccessRewriter& rewriter, const VarVec& variables, bool is_input) {
        for (std::size_t i = 0; i < variables.size(); ++i)
            if (const AnchorTensor tensor{is_input, i}; variables[i] && stays(m_piece, m_provenance, tensor))
                rewriter.replace(variables[i], m_assembly.host(value_of(m_piece, tensor)));
    }

    void fuse(const Function& function) {
        ParameterTensors extra(m_assembly);
        AccessRewriter rewriter({m_piece, m_provenance, m_extras, m_dropped}, extra);
        Function fused = function;
        fused.body = rewriter.rewrite(function.body);
        fused.params.clear();
        std::vector<bool> dropped;
        for (const VarRef& param : function.params) {
            const AnchorTensor* tensor = m_provenance.find(param);
            dropped.push_back(tensor && !stays(m_piece, m_provenance, *tensor));
            if (!dropped.back())
                fused.params.push_back(param);
        }
        fused.params.insert(fused.params.end(), extra.params.begin(), extra.params.end());
        m_extras[function.name] = extra.values;
        m_dropped[function.name] = std::move(dropped);
        FunctionRef made = make<Function>(std::move(fused));
        if (function.func_kind != FuncKind::CudaKernel && function.func_kind != FuncKind::CpuKernel)
            return m_assembly.add_function(std::move(made));
        rewriter.done.insert(m_piece.group().anchor);
        std::vector<NodeId> nodes;
        for (NodeId id : m_piece.group().nodes)
            if (rewriter.done.contains(id))
                nodes.push_back(id);
        m_assembly.add_kernel(std::move(made), std::move(nodes));
    }

    Assembly& m_assembly;
    const Piece& m_piece;
    const AnchorProgram& m_program;
    Provenance m_provenance;
    std::map<std::string, std::vector<ValueId>> m_extras;
    std::map<std::string, std::vector<bool>> m_dropped;
};

} // namespace

std::vector<Unfusable> find_unfusable(const Piece& piece, const AnchorProgram& program) {
    const Provenance provenance = trace_tensors(program);
    std::vector<Unfusable> found;
    for (const auto& [tensor, facts] : provenance.facts) {
        const bool is_misused = facts.escapes || (tensor.is_input && facts.is_stored);
        if (is_misused && is_fused(piece, tensor))
            found.push_back({value_of(piece, tensor), tensor.is_input, FusionBlocker::AddressTaken});
    }
    return found;
}

void fuse_into(Assembly& assembly, const Piece& piece, const AnchorProgram& program) {
    Fuser(assembly, piece, program).run();
}

} // namespace hidet::graph
