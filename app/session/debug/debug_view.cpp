// SPDX-License-Identifier: Apache-2.0
#include "app/session/debug/debug_view.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <set>

#include "app/session/execute/kernel_tiles.h"
#include "compiler/ir/dtype.h"
#include "lang/base/text.h"
#include "lang/tensor/elements.h"

namespace hidet::session {

namespace {

std::string triple_text(const std::array<std::int64_t, 3>& at) {
    return cat("(", at[0], ", ", at[1], ", ", at[2], ")");
}

std::string index_text(const std::vector<std::int64_t>& index) {
    std::vector<std::string> parts;
    for (const std::int64_t at : index)
        parts.push_back(cat(at));
    return join(parts, ", ");
}

std::optional<std::int64_t> integer_of(std::string_view text) {
    std::int64_t out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(out) : std::nullopt;
}

Error refused_name(std::string message) {
    return {"unknown-name", std::move(message)};
}

// Texts that are all the same become one.
std::string joined_row(const std::vector<std::string>& texts) {
    if (texts.empty())
        return "no thread runs";
    const bool is_one = std::ranges::all_of(texts, [&](const std::string& each) { return each == texts.front(); });
    return is_one ? texts.front() : join(texts, " ");
}

std::string runs_text(const std::vector<std::uint32_t>& words) {
    vm::ThreadRuns runs;
    for (std::size_t w = 0; w < words.size(); ++w)
        for (int lane = 0; lane < lanes_of_warp; ++lane) {
            const int thread = static_cast<int>(w) * lanes_of_warp + lane;
            if (!(words[w] >> lane & 1))
                continue;
            if (!runs.empty() && runs.back()[1] == thread - 1)
                runs.back()[1] = thread;
            else
                runs.push_back({thread, thread});
        }
    return vm::threads_text(runs);
}

std::int64_t row_major(const lang::Shape& shape, const std::vector<std::int64_t>& index) {
    std::int64_t element = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
        element = element * shape[d] + index[d];
    return element;
}

} // namespace

// Names as one thread knows them.
class DebugView::Names : public DebugNames {
public:
    Names(const DebugView& view, int thread) : m_view(view), m_thread(thread) {}
    Result<DebugNumber> number(const std::string& name) const override {
        for (const std::vector<DebugVariable>* all : {&m_view.m_variables, &m_view.m_arguments})
            for (const DebugVariable& variable : *all)
                if (variable.name == name)
                    return m_view.number(variable, m_thread);
        if (const std::optional<std::int64_t> at = built_in(name))
            return DebugNumber::of(*at);
        if (m_view.tensor(name))
            return refused_name(cat("'", name, "' is a tensor: an element is wanted, as in ", name, "[0]"));
        return refused_name(cat("'", name, "' is not known here"));
    }
    Result<DebugNumber> element(const std::string& name, const std::vector<std::int64_t>& index) const override {
        HIDET_TRY(const std::int64_t at, element_at(name, index));
        return m_view.element_number(*m_view.tensor(name), at);
    }
    // In row-major order; of registers, of this thread.
    Result<std::int64_t> element_at(const std::string& name, const std::vector<std::int64_t>& index) const {
        const DebugTensor* tensor = m_view.tensor(name);
        if (!tensor)
            return refused_name(cat("no tensor '", name, "' is known here"));
        std::vector<std::int64_t> full = index;
        if (tensor->home == TensorHome::Registers && index.size() + 1 == tensor->shape.size())
            full.insert(full.begin(), m_thread % tensor->shape.front());
        if (full.size() != tensor->shape.size())
            return refused_name(
                cat("'", name, "' has ", tensor->shape.size(), " dimensions, [", index_text(tensor->shape), "]"));
        for (std::size_t d = 0; d < full.size(); ++d)
            if (full[d] < 0 || full[d] >= tensor->shape[d])
                return refused_name(
                    cat(name, "[", index_text(full), "] is outside of the shape [", index_text(tensor->shape), "]"));
        return row_major(tensor->shape, full);
    }

private:
    std::optional<std::int64_t> built_in(const std::string& name) const {
        const std::size_t dot = name.find('.');
        const std::size_t d = dot + 1 < name.size() && name.size() == dot + 2
                                  ? std::string_view("xyz").find(name[dot + 1])
                                  : std::string_view::npos;
        if (dot == std::string::npos || d == std::string_view::npos)
            return std::nullopt;
        const artifact::LaunchShape& shape = m_view.m_standing.shape();
        const std::string object = name.substr(0, dot);
        const std::array<std::int64_t, 3> thread = {m_thread % shape.block[0],
                                                    m_thread / shape.block[0] % shape.block[1],
                                                    m_thread / shape.block[0] / shape.block[1]};
        if (object == "threadIdx")
            return thread[d];
        if (object == "blockIdx")
            return m_view.block()[d];
        if (object == "blockDim")
            return shape.block[d];
        if (object == "gridDim")
            return shape.grid[d];
        return std::nullopt;
    }

    const DebugView& m_view;
    const int m_thread;
};

DebugView::DebugView(const vm::Standing& standing, const DebuggedKernel& kernel)
    : m_standing(standing), m_kernel(kernel) {
    std::set<std::string> names;
    const auto& values = kernel.notes->values;
    for (std::int32_t row = kernel.notes->innermost.at(standing.pc()); row >= 0;
         row = values[static_cast<std::size_t>(row)].outer) {
        const artifact::NamedValue& value = values[static_cast<std::size_t>(row)];
        if (names.insert(value.name).second)
            m_variables.push_back({value.name, artifact::scalar_name(value.type), &value});
    }
    std::ranges::reverse(m_variables);
    const auto& params = standing.kernel().params;
    for (std::size_t i = 0; i < params.size(); ++i)
        if (!params[i].is_pointer && !params[i].is_tensor_map)
            m_arguments.push_back({params[i].name, artifact::scalar_name(params[i].type), nullptr, i});
}

int DebugView::threads() const {
    return static_cast<int>(m_standing.shape().threads());
}

std::string DebugView::block_text() const {
    return triple_text(block());
}

Result<std::int64_t> DebugView::block_number(std::string_view text) const {
    const std::string_view given = trimmed(text);
    const bool is_tuple = given.size() > 1 && given.front() == '(' && given.back() == ')';
    const std::vector<std::string> parts = split(is_tuple ? given.substr(1, given.size() - 2) : given, ',');
    const auto& grid = m_standing.shape().grid;
    std::int64_t number = 0, stride = 1;
    bool is_block = !parts.empty() && parts.size() <= grid.size();
    for (std::size_t d = 0; is_block && d < parts.size(); ++d) {
        const std::optional<std::int64_t> at = integer_of(trimmed(parts[d]));
        is_block = at && *at >= 0 && *at < grid[d];
        number += is_block ? *at * stride : 0;
        stride *= grid[d];
    }
    if (is_block)
        return number;
    return refused_name(cat("'", given, "' is no block of the grid ", triple_text(grid)));
}

std::string DebugView::thread_text(int thread) const {
    const auto& shape = m_standing.shape().block;
    return triple_text({thread % shape[0], thread / shape[0] % shape[1], thread / shape[0] / shape[1]});
}

std::vector<DebugGroup> DebugView::groups() const {
    std::vector<DebugGroup> out;
    for (const vm::GroupPlace& place : m_standing.groups()) {
        DebugGroup group;
        int last_warp = -1, alive = 0, active = 0;
        group.first_warp = -1;
        for (std::size_t w = 0; w < place.alive.size(); ++w) {
            alive += std::popcount(place.alive[w]), active += std::popcount(place.active[w]);
            if (!place.alive[w])
                continue;
            last_warp = static_cast<int>(w);
            group.first_warp = group.first_warp < 0 ? last_warp : group.first_warp;
        }
        if (last_warp < 0)
            continue;
        const std::string warps = group.first_warp == last_warp ? cat("warp ", last_warp)
                                                                : cat("warps ", group.first_warp, " to ", last_warp);
        group.name = cat("block ", triple_text(block()), ", ", warps, ", ", active, " of ", alive, " threads");
        if (*place.waits)
            group.name += cat(", ", place.waits);
        group.is_next = place.is_next;
        group.file = m_kernel.statements.file_at(place.pc);
        group.line = m_kernel.statements.at(place.pc).line;
        out.push_back(std::move(group));
    }
    std::ranges::sort(out, {}, &DebugGroup::first_warp);
    return out;
}

std::string DebugView::running_text(int warp) const {
    std::string out;
    for (int thread = warp * lanes_of_warp; thread < std::min(threads(), (warp + 1) * lanes_of_warp); ++thread)
        out += runs(thread) ? '#' : m_standing.is_alive(thread) ? '.' : ' ';
    return out;
}

// ---- variables -------------------------------------------------------------------------------------------------------

DebugNumber DebugView::number(const DebugVariable& variable, int thread) const {
    const artifact::Scalar type =
        variable.value ? variable.value->type : m_standing.kernel().params[variable.argument].type;
    if (artifact::is_real(type))
        return DebugNumber::of_real(variable.value ? m_standing.real_value(*variable.value, thread)
                                                   : m_standing.real_argument(variable.argument));
    const auto bits = static_cast<std::int64_t>(variable.value ? m_standing.value(*variable.value, thread)
                                                               : m_standing.argument(variable.argument));
    return type == artifact::Scalar::Bool ? DebugNumber::of_bool(bits != 0) : DebugNumber::of(bits);
}

std::string DebugView::text(const DebugVariable& variable, int thread) const {
    return is_known(thread) || !variable.value ? text_of(number(variable, thread)) : "-";
}

std::string DebugView::row_text(const DebugVariable& variable, int warp) const {
    std::vector<std::string> texts;
    for (int thread = warp * lanes_of_warp; thread < std::min(threads(), (warp + 1) * lanes_of_warp); ++thread)
        if (runs(thread))
            texts.push_back(text(variable, thread));
    return joined_row(texts);
}

Result<DebugNumber> DebugView::value(const DebugExpression& expression, int thread) const {
    return expression.value(Names(*this, thread));
}

std::string DebugView::row_text(const DebugExpression& expression, int warp) const {
    std::vector<std::string> texts;
    for (int thread = warp * lanes_of_warp; thread < std::min(threads(), (warp + 1) * lanes_of_warp); ++thread)
        if (runs(thread)) {
            const Result<DebugNumber> number = value(expression, thread);
            texts.push_back(number ? text_of(number.value()) : number.error().message);
        }
    return joined_row(texts);
}

// ---- tensors ---------------------------------------------------------------------------------------------------------

const std::vector<DebugTensor>& DebugView::tensors() const {
    if (m_tensors)
        return *m_tensors;
    std::vector<DebugTensor> out;
    const vm::KeptTiles kept{kernel(), block(), m_standing.tiles()};
    for (KernelTile& tile : tiles_of({kept}, *m_kernel.module->script, *m_kernel.module->lowered))
        out.push_back({tile.name, ir::info(tile.values->dtype).short_name, tile.values->shape,
                       tile.is_registers ? TensorHome::Registers : TensorHome::Shared, tile.values, tile.written});
    add_argument_tensors(out);
    return m_tensors.emplace(std::move(out));
}

void DebugView::add_argument_tensors(std::vector<DebugTensor>& out) const {
    const auto& params = m_standing.kernel().params;
    for (std::size_t i = 0; i < params.size(); ++i) {
        if (!params[i].is_pointer)
            continue;
        const std::uint64_t pointer = m_standing.argument(i);
        const vm::BufferInfo* buffer = m_standing.buffer_at(pointer);
        const auto dtype = buffer ? ir::find_dtype(buffer->dtype) : std::nullopt;
        if (dtype && lang::holds_numbers(*dtype))
            out.push_back({params[i].name, buffer->dtype, buffer->shape, TensorHome::Argument, {}, {}, pointer});
    }
}

const DebugTensor* DebugView::tensor(const std::string& name) const {
    const auto found = std::ranges::find(tensors(), name, &DebugTensor::name);
    return found == tensors().end() ? nullptr : &*found;
}

Result<DebugNumber> DebugView::element_number(const DebugTensor& tensor, std::int64_t element) const {
    lang::TensorRef values = tensor.values;
    std::int64_t at = element;
    if (!values) {
        const ir::DType dtype = *ir::find_dtype(tensor.dtype);
        const std::int64_t width = ir::info(dtype).bits / 8;
        const std::byte* bytes =
            m_standing.memory_at(tensor.pointer + static_cast<std::uint64_t>(element * width), width);
        if (!bytes)
            return refused_name(cat("'", tensor.name, "' ends before that element"));
        values = lang::TensorRef(new lang::Tensor);
        values->dtype = dtype, values->shape = {1};
        values->storage = std::make_shared<lang::Storage>(static_cast<std::size_t>(width));
        std::copy_n(bytes, width, values->data());
        at = 0;
    }
    if (tensor.written && lang::element_integer(*tensor.written, element) == 0)
        return refused_name(cat("nothing was written to that element of '", tensor.name, "' yet"));
    if (ir::is_float(values->dtype))
        return DebugNumber::of_real(lang::element_double(*values, at));
    const std::int64_t number = lang::element_integer(*values, at);
    return values->dtype == ir::DType::Bool ? DebugNumber::of_bool(number != 0) : DebugNumber::of(number);
}

std::string DebugView::element_text(const DebugTensor& tensor, std::int64_t element) const {
    const Result<DebugNumber> number = element_number(tensor, element);
    return number ? text_of(number.value()) : "not written";
}

// ---- who wrote it ----------------------------------------------------------------------------------------------------

// Read from arrays whose bytes are digits of their own places, so that layouts have one reader.
std::optional<vm::WatchedBytes> DebugView::shared_bytes(const DebugTensor& tensor, std::int64_t element) const {
    const artifact::Function& function = m_standing.kernel();
    const std::vector<vm::KeptTile> tiles = m_standing.tiles();
    for (std::size_t row = 0; row < function.shared.size(); ++row) {
        std::int64_t at = 0;
        bool is_there = true;
        for (int digit = 0; digit < 3 && is_there; ++digit) {
            vm::KeptTile places = tiles.at(row);
            places.written.clear();
            for (std::size_t i = 0; i < places.bytes.size(); ++i)
                places.bytes[i] = static_cast<std::byte>(i >> 8 * digit);
            const vm::KeptTiles kept{kernel(), block(), {places}};
            const std::vector<KernelTile> read = tiles_of({kept}, *m_kernel.module->script, *m_kernel.module->lowered);
            const auto found = std::ranges::find(read, tensor.name, &KernelTile::name);
            is_there = found != read.end() && found->values->shape == tensor.shape;
            if (is_there)
                at |= std::to_integer<std::int64_t>(
                          found->values->data()[element * (ir::info(found->values->dtype).bits / 8)])
                      << 8 * digit;
        }
        if (is_there)
            return vm::WatchedBytes{.shared = static_cast<std::int32_t>(row),
                                    .block = m_standing.block_number(),
                                    .at = at,
                                    .bytes = ir::info(tensor.values->dtype).bits / 8};
    }
    return std::nullopt;
}

Result<std::vector<std::int64_t>> DebugView::index_of(const DebugExpression::Element& element,
                                                      const DebugExpression& of, const Names& names) {
    std::vector<std::int64_t> index;
    for (const lang::ast::Expr* part : element.index) {
        HIDET_TRY(const DebugNumber at, of.value_of(*part, names));
        index.push_back(at.integer);
    }
    return index;
}

Result<std::string> DebugView::element_name(const DebugExpression::Element& element, const DebugExpression& of,
                                            int thread) const {
    HIDET_TRY(const std::vector<std::int64_t> index, index_of(element, of, Names(*this, thread)));
    return cat(element.tensor, "[", index_text(index), "]");
}

Result<vm::WatchedBytes> DebugView::bytes_of(const DebugExpression::Element& element, const DebugExpression& of,
                                             int thread) const {
    const Names names(*this, thread);
    HIDET_TRY(const std::vector<std::int64_t> index, index_of(element, of, names));
    HIDET_TRY(const std::int64_t at, names.element_at(element.tensor, index));
    const DebugTensor& tensor = *this->tensor(element.tensor);
    if (tensor.home == TensorHome::Registers)
        return refused_name(cat("'", tensor.name, "' is in registers, which only their own thread writes"));
    if (tensor.home == TensorHome::Shared) {
        if (const std::optional<vm::WatchedBytes> bytes = shared_bytes(tensor, at))
            return *bytes;
        return refused_name(cat("it is not known where '", tensor.name, "' lies"));
    }
    const std::int64_t width = ir::info(*ir::find_dtype(tensor.dtype)).bits / 8;
    const std::byte* address = m_standing.memory_at(tensor.pointer + static_cast<std::uint64_t>(at * width), width);
    if (!address)
        return refused_name(cat("'", tensor.name, "' ends before that element"));
    return vm::WatchedBytes{.address = address, .bytes = width};
}

std::string DebugView::writer_text(const std::optional<vm::Writer>& writer) const {
    if (!writer)
        return "nobody wrote it in this launch so far";
    const std::string who = cat(writer->is_unit ? "a copy by " : "", runs_text(writer->threads));
    return cat(who, " of block ", triple_text(writer->block), " wrote it in line ", line_of(*writer),
               ", at instruction ", writer->position);
}

} // namespace hidet::session
