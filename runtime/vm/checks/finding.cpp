// SPDX-License-Identifier: Apache-2.0
// What a finding says. All of this is cold: it looks at lanes one by one to name the first that is wrong.
#include "lang/base/device_copy.h"
#include "lang/base/text.h"
#include "runtime/vm/checks/block_notes.h"
#include "runtime/vm/debug/replay.h"

namespace hidet::vm {

namespace {

DiagId diagnostic_of(FindingKind kind) {
    static constexpr DiagId ids[] = {
#define HIDET_FINDING_KIND(name, diagnostic) DiagId::diagnostic,
#include "runtime/vm/checks/finding_kinds.def"
    };
    return ids[static_cast<std::size_t>(kind)];
}

} // namespace

Finding device_finding(const Error& error) {
    Finding finding;
    finding.kind = FindingKind::DeviceError;
    finding.code = error.code;
    finding.message = error.message;
    return finding;
}

Diagnostic to_diagnostic(const Finding& finding) {
    DiagId id = finding.kind == FindingKind::DeviceError ? hidet::diagnostic_of(Error{finding.code, finding.message})
                                                         : diagnostic_of(finding.kind);
    Diagnostic diagnostic = Diagnostic::make(id, finding.origin.span, finding.message);
    for (const RelatedPlace& place : finding.related)
        diagnostic.notes.push_back({place.origin.span, place.message});
    return diagnostic;
}

AccessVerb verb_of(Purpose purpose) {
    return purpose == Purpose::Load    ? AccessVerb::Reads
           : purpose == Purpose::Store ? AccessVerb::Writes
                                       : AccessVerb::Updates;
}

Finding BlockView::finding_of(std::uint32_t pc, int lane) const {
    Finding finding;
    finding.function = m_function.name;
    finding.in_kernel = true;
    finding.rank = m_context.rank;
    if (pc < m_function.origins.size())
        finding.origin = m_function.origins[pc];
    const LaunchShape::Extents& shape = m_context.shape.block;
    for (int d = 0; d < 3; ++d)
        finding.block[d] = m_index[d], finding.block_dim[d] = shape[d];
    if (lane >= 0) {
        finding.thread[0] = lane % shape[0];
        finding.thread[1] = lane / shape[0] % shape[1];
        finding.thread[2] = lane / shape[0] / shape[1];
    }
    return finding;
}

std::string BlockView::where(int lane) const {
    const std::string text = cat(" (", m_context.ranks ? cat("rank ", m_context.rank, ", ") : "", "block ",
                                 tuple_text({m_index[0], m_index[1], m_index[2]}, '(', ')'));
    return lane >= 0 ? cat(text, ", ", thread_text(lane), ")") : text + ")";
}

std::string BlockView::thread_text(int lane) const {
    const LaunchShape::Extents& shape = m_context.shape.block;
    return "thread " + tuple_text({lane % shape[0], lane / shape[0] % shape[1], lane / shape[0] / shape[1]}, '(', ')');
}

std::string BlockView::actor_text(Actor actor) const {
    const int owner = actor / m_lanes;
    const std::string thread = thread_text(actor % m_lanes);
    return owner == m_rank ? thread : cat(thread, " of block ", owner, " of the cluster");
}

void BlockView::note(Finding finding) {
    if (m_context.replay)
        return note_in_replay(std::move(finding));
    if (m_context.log->is_empty()) // of others nobody asks what they found
        BlockTiles::found(m_block, finding);
    m_context.log->add(std::move(finding));
}

void BlockView::note_in_replay(Finding finding) {
    if (!m_context.replay->was_here() && m_context.log->add(finding))
        m_context.replay->found(finding);
}

void Block::stopped(Finding& finding) {
    BlockTiles::found(*this, finding);
}

void BlockView::fail(Group& group, FindingKind kind, int lane, const std::string& text) {
    throw FindingError{finding_at(group, kind, lane, text)};
}

std::int64_t AccessFindings::term_index(const Group& group, const AccessDim& dim, int lane) const {
    std::int64_t index = dim.constant;
    if (dim.u >= 0)
        index += static_cast<std::int64_t>(group.u[static_cast<std::size_t>(register_of(dim.u))]);
    if (dim.v >= 0)
        index += dim.wide ? lane_value<std::int64_t>(group, dim.v, lane) : lane_value<std::int32_t>(group, dim.v, lane);
    return index;
}

std::int64_t AccessFindings::terms_offset(const Group& group, const Access& access, int lane) const {
    std::int64_t offset = 0;
    for (const AccessDim& dim : access.dims)
        offset += term_index(group, dim, lane) * stride_of(dim, group.u.data());
    return offset;
}

std::int64_t AccessFindings::term_extent(const Group& group, const AccessDim& dim) const {
    return dim.extent_u >= 0 ? static_cast<std::int64_t>(group.u[static_cast<std::size_t>(register_of(dim.extent_u))])
                             : dim.extent;
}

// The element of a Load, a Store or an atomic that the lane has.
std::string AccessFindings::name_element(Finding& finding, const Group& group, const Access& access, int lane) const {
    finding.tensor = name_in(*m_context.program, access.name);
    finding.dtype = artifact::scalar_name(access.element);
    for (const AccessDim& dim : access.dims)
        if (dim.is_index)
            finding.index.push_back(term_index(group, dim, lane));
    return element_text(access.name >= 0 ? string_at(access.name) : "an address", finding.index);
}

void AccessFindings::fail_access(Group& group, const Access& access, Purpose purpose, FindingKind kind,
                                 std::int64_t bytes, const std::string& text) {
    int lane = group.active.first(m_chunks);
    if (kind == FindingKind::Misaligned && bytes > 1) {
        for (int l : running(group)) {
            std::int64_t at = access.offset;
            if (access.space == artifact::Space::Pointer)
                at += offset_of(lane_value<std::uint64_t>(group, access.base, l));
            at += terms_offset(group, access, l);
            if (at % bytes) {
                lane = l;
                break;
            }
        }
    }
    Finding finding = finding_at(group, lane);
    finding.kind = kind;
    finding.is_store = purpose == Purpose::Store;
    const std::string element = name_element(finding, group, access, lane);
    const char* joint = kind == FindingKind::Misaligned ? " at " : kind == FindingKind::InvalidPointer ? " " : " in ";
    if (kind == FindingKind::InvalidPointer && text.rfind("memory", 0) == 0)
        joint = " in ";
    finding.message = sentence(lane, "", text_of(verb_of(purpose)), element, joint, text);
    throw FindingError{std::move(finding)};
}

namespace {
std::string and_others(std::int64_t threads) {
    if (threads == 1)
        return "";
    return threads == 2 ? ", like 1 other thread" : ", like " + std::to_string(threads - 1) + " other threads";
}
} // namespace

Finding AccessFindings::out_of_bounds(Group& group, Purpose purpose, int lane, std::int64_t threads) const {
    Finding finding = finding_at(group, lane);
    finding.kind = FindingKind::OutOfBounds;
    finding.is_store = purpose != Purpose::Load;
    finding.threads = threads;
    return finding;
}

void AccessFindings::fail_bounds(Group& group, const Access& access, Purpose purpose) {
    int worst = -1;
    std::int64_t threads = 0;
    for (int lane : running(group)) {
        bool outside = false;
        for (const AccessDim& dim : access.dims) {
            std::int64_t extent = term_extent(group, dim);
            std::int64_t index = term_index(group, dim, lane);
            outside = outside || (dim.is_index && extent >= 0 && (index < 0 || index >= extent));
        }
        threads += outside;
        if (outside && worst < 0)
            worst = lane;
    }
    if (worst < 0)
        worst = group.active.first(m_chunks);
    Finding finding = out_of_bounds(group, purpose, worst, threads);
    const std::string element = name_element(finding, group, access, worst);
    for (const AccessDim& dim : access.dims)
        if (dim.is_index)
            finding.shape.push_back(term_extent(group, dim));
    finding.message = cat("kernel '", m_function.name, "' ", outside_of_shape(verb_of(purpose), element, finding.shape),
                          where(worst), and_others(threads));
    throw FindingError{std::move(finding)};
}

void AccessFindings::fail_allocation(Group& group, const Access& access, Purpose purpose, std::int64_t start,
                                     std::int64_t bytes) {
    int unit = artifact::scalar_bytes(access.element);
    int worst = -1;
    std::int64_t threads = 0, worst_at = 0;
    const Allocation* allocation = nullptr;
    for (int lane : running(group)) {
        std::int64_t at = access.offset;
        if (access.space == artifact::Space::Pointer) {
            std::uint64_t pointer = lane_value<std::uint64_t>(group, access.base, lane);
            at += offset_of(pointer);
            allocation = m_context.memory->find(id_of(pointer));
        } else {
            at += start;
        }
        at += terms_offset(group, access, lane);
        bool outside = at < 0 || at + unit > bytes;
        threads += outside;
        if (outside && worst < 0)
            worst = lane, worst_at = at;
    }
    if (worst < 0)
        worst = group.active.first(m_chunks);
    Finding finding = out_of_bounds(group, purpose, worst, threads);
    const std::string element = name_element(finding, group, access, worst);
    std::string what;
    if (allocation && !allocation->info.shape.empty()) {
        finding.shape = allocation->info.shape;
        what = "the " + std::string(allocation->info.dtype.empty() ? "tensor" : allocation->info.dtype + " tensor") +
               " of shape " + tuple_text(finding.shape, '[', ']') + " behind it";
    } else {
        std::int64_t elements = bytes / unit;
        finding.shape = {elements};
        what = "its " + std::to_string(elements) + " element" + (elements == 1 ? "" : "s") + " of " + finding.dtype;
    }
    finding.message = cat("kernel '", m_function.name, "' ", text_of(verb_of(purpose)), element, " (byte ", worst_at,
                          "), outside of ", what, where(worst), and_others(threads));
    throw FindingError{std::move(finding)};
}

} // namespace hidet::vm
