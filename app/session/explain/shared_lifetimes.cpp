// SPDX-License-Identifier: Apache-2.0
// The shared memory of a block over its program: which tensor lies where, and from which line to which it is in use.
#include <algorithm>

#include "app/session/explain/explained_source.h"
#include "compiler/analysis/access/footprint.h"
#include "compiler/analysis/shared_tensors.h"
#include "compiler/ir/type.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

using compiler::SharedTensorUse;
namespace access = compiler::access;

constexpr std::int64_t least_saved = 256; // bytes, below which nobody moves a tensor
constexpr std::int64_t dynamic_alignment = 16;

SharedTensor view_of_tensor(const SharedTensorUse& of, std::int64_t dynamic_begin, const SourceMap& sources) {
    SharedTensor out;
    const ir::TensorType& type = *ir::tensor_of(of.declared->var->type);
    out.name = of.declared->var->name;
    if (const auto dtype = ir::scalar_of(type.element))
        out.dtype = ir::info(*dtype).short_name;
    for (const ir::ExprRef& extent : type.shape)
        out.shape.push_back(ir::constant_int(extent).value_or(0));
    out.offset = of.is_dynamic ? dynamic_begin + of.offset : of.offset;
    out.bytes = of.bytes;
    out.is_dynamic = of.is_dynamic;
    out.stages = of.stages;
    out.place = place_of(of.declared->origin.span, sources);
    if (!of.first.span.known())
        return out;
    out.first = place_of(of.first.span, sources), out.last = place_of(of.last.span, sources);
    out.begin = of.begin, out.end = of.end;
    return out;
}

// Bytes in use while a statement runs.
std::int64_t bytes_at(const std::vector<SharedTensor>& tensors, int statement) {
    access::ByteSet used;
    for (const SharedTensor& tensor : tensors)
        if (tensor.first.known() && statement >= tensor.begin && statement <= tensor.end)
            used.push_back({tensor.offset, tensor.offset + tensor.bytes});
    access::unite(used);
    return access::bytes_of(used);
}

void add_moments(SharedView& out, const compiler::SharedTensors& tensors, const SourceMap& sources) {
    std::vector<int> changes = {0};
    for (const SharedTensor& tensor : out.tensors)
        changes.insert(changes.end(), {tensor.begin, tensor.end + 1});
    std::ranges::sort(changes);
    changes.erase(std::unique(changes.begin(), changes.end()), changes.end());
    for (const int statement : changes) {
        const std::int64_t bytes = bytes_at(out.tensors, statement);
        if (statement >= out.statements || (!out.moments.empty() && out.moments.back().bytes == bytes))
            continue;
        out.moments.push_back({statement, bytes});
        if (bytes > out.peak) {
            out.peak = bytes;
            out.peak_at = place_of(tensors.spans[static_cast<std::size_t>(statement)], sources);
        }
    }
}

bool are_together(const SharedTensor& a, const SharedTensor& b) {
    const bool in_time = a.begin <= b.end && b.begin <= a.end;
    const bool in_place = a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
    return in_time || in_place;
}

// The two that save most when one takes the place of the other.
std::string advice_on(const SharedView& view) {
    if (view.bytes - view.peak < least_saved) // whatever shares a place, as much is needed at a time
        return "";
    const SharedTensor* best[2] = {nullptr, nullptr};
    std::int64_t saved = least_saved - 1;
    for (const SharedTensor& a : view.tensors)
        for (const SharedTensor& b : view.tensors) {
            const bool are_used = a.first.known() && b.first.known() && a.end < b.begin;
            if (!are_used || are_together(a, b) || std::min(a.bytes, b.bytes) <= saved)
                continue;
            saved = std::min(a.bytes, b.bytes);
            best[0] = &a, best[1] = &b;
        }
    if (!best[0])
        return "";
    return cat("'", best[0]->name, "' is not used any more when '", best[1]->name,
               "' is used first: one place for both would save ", bytes_text(static_cast<double>(saved)),
               ", with a barrier between");
}

} // namespace

SharedView shared_of(const ExplainedSource& source, std::int64_t bytes) {
    SharedView out;
    const ir::Function* kernel = ir::find_function(*source.script, source.kernel->name);
    const compiler::SharedTensors tensors = compiler::shared_tensors(kernel ? *kernel : *source.kernel);
    std::int64_t static_bytes = 0;
    for (const SharedTensorUse& tensor : tensors.all)
        if (!tensor.is_dynamic)
            static_bytes = std::max(static_bytes, tensor.offset + tensor.bytes);
    const std::int64_t dynamic_begin = (static_bytes + dynamic_alignment - 1) / dynamic_alignment * dynamic_alignment;
    for (const SharedTensorUse& tensor : tensors.all)
        out.tensors.push_back(view_of_tensor(tensor, dynamic_begin, *source.sources));
    std::ranges::stable_sort(out.tensors, {}, &SharedTensor::offset);
    out.statements = tensors.statements;
    access::ByteSet placed;
    for (const SharedTensor& tensor : out.tensors)
        placed.push_back({tensor.offset, tensor.offset + tensor.bytes});
    access::unite(placed);
    out.bytes = std::max(bytes, placed.empty() ? 0 : placed.back().end);
    out.unused = out.bytes - access::bytes_of(placed);
    add_moments(out, tensors, *source.sources);
    out.advice = advice_on(out);
    return out;
}

} // namespace hidet::session
