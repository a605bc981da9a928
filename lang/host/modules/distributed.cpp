// SPDX-License-Identifier: Apache-2.0
// hidet.distributed: names, order and defaults of the published package; ranks are those among all processes, in groups, too.
#include "lang/host/modules/distributed.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "lang/base/ranges.h"
#include "lang/base/text.h"
#include "lang/host/evaluator.h"
#include "lang/host/graph_language.h"
#include "lang/host/interpreter.h"
#include "lang/host/tensors/tensor_ops.h"

namespace hidet::lang {

namespace {

constexpr double group_seconds = 1800;
constexpr std::int64_t most_processes = 1024;
constexpr std::string_view backends[] = {"nccl", "gloo", "shm"}; // gloo: PyTorch's word for the CPU
constexpr std::string_view reductions[] = {"sum", "prod", "max", "min", "avg"};

// What a script has joined; one for each evaluation.
struct Membership : std::enable_shared_from_this<Membership> {
    Ref<GroupObject> world;
    std::vector<Ref<GroupObject>> parts;

    Result<void> exchange(std::int64_t number, const Exchange& exchange);
};
using MembershipRef = std::shared_ptr<Membership>;

std::string text_of(const std::vector<int>& ranks) {
    return join(transformed(ranks, [](const int rank) { return cat(rank); }), " ");
}

// Of a graph, which knows a group by its number, or of a package, which knows the processes of the world.
Result<void> Membership::exchange(std::int64_t number, const Exchange& exchange) {
    if (!world)
        return Error{"argument", "the process is in no group: the one that the graph was made in has been left"};
    const auto part = std::ranges::find(parts, number, [](const Ref<GroupObject>& each) { return each->number(); });
    const GroupObject* group = number == world->number() ? &*world : part == parts.end() ? nullptr : &**part;
    if (!group || !group->joined())
        return Error{"argument", cat("the process is not in group ", number, " of the graph, or has left it")};
    return group->joined()->exchange(exchange);
}

// Of a preview, which computes with shapes.
class Pretended final : public ProcessGroup {
public:
    Pretended(int rank, int size) : m_rank(rank), m_size(size) {}
    int rank() const override { return m_rank; }
    int size() const override { return m_size; }
    std::string backend() const override { return "shm"; }
    Result<void> exchange(const Exchange& exchange) override {
        if (exchange.tensor && exchange.tensor->has_data())
            return Error{"group", "this evaluation exchanges nothing with other processes"};
        return {};
    }
    Result<Ref<ProcessGroup>> part(const PartRequest& request) override {
        const auto place = std::ranges::find(request.ranks, m_rank) - request.ranks.begin();
        return Ref<ProcessGroup>(new Pretended(static_cast<int>(place), static_cast<int>(request.ranks.size())));
    }

private:
    int m_rank, m_size;
};

std::string word_argument(const Arguments& a, std::size_t i, std::span<const std::string_view> words,
                          std::string_view what, std::string_view otherwise) {
    if (!a.has(i))
        return std::string(otherwise);
    const std::string& word = a.str(i);
    if (std::ranges::find(words, word) == words.end()) {
        const std::vector<std::string> known(words.begin(), words.end());
        throw DiagnosticError(
            Diagnostic::make(DiagId::BadValue, a.span(i),
                             cat("there is no ", what, " '", word, "'; there are ", join(known, ", ")))
                .suggest(a.span(i), word, known));
    }
    return word;
}

GroupObject& world_of(const Membership& membership, Span span) {
    if (!membership.world)
        fail(DiagId::BadValue, span, "the process is in no group yet: call hidet.distributed.init_process_group()");
    return *membership.world;
}

GroupObject& group_argument(const Membership& membership, const Arguments& a, std::size_t i, Span span) {
    if (!a.has(i))
        return world_of(membership, span);
    want_known(a[i]);
    auto* group = a[i].extension<GroupObject>();
    if (!group)
        a.wrong_type(i, "a process group");
    return *group;
}

// ---- joining --------------------------------------------------------------------------------------------------------

struct Bounds {
    std::int64_t least, most;
};

std::optional<int> number_argument(const Arguments& a, std::size_t i, std::string_view name, Bounds bounds) {
    const std::int64_t number = a.has(i) ? a.integer(i) : -1;
    if (number == -1)
        return std::nullopt;
    if (number < bounds.least || number > bounds.most)
        fail(DiagId::BadValue, a.span(i), cat(name, " is a number from ", bounds.least, " to ", bounds.most));
    return static_cast<int>(number);
}

GroupRequest request_of(const Arguments& a, Span span) {
    GroupRequest request{word_argument(a, 0, backends, "backend", ""),
                         a.has(1) ? a.str(1) : "",
                         {},
                         seconds_argument(a, 3, group_seconds),
                         {},
                         {}};
    request.size = number_argument(a, 4, "world_size", {1, most_processes});
    request.rank = number_argument(a, 5, "rank", {0, request.size.value_or(most_processes) - 1});
    if (request.size.has_value() != request.rank.has_value())
        fail(DiagId::BadValue, span, "world_size and rank are given together, or neither is");
    if (!a.has(2))
        return request;
    const auto* store = a[2].extension<StoreObject>();
    if (!store)
        a.wrong_type(2, "a store");
    if (!request.init_method.empty())
        fail(DiagId::BadValue, a.span(2), "init_method and store exclude each other");
    request.store = store->store();
    return request;
}

std::vector<int> first_ranks(int count) {
    std::vector<int> out(static_cast<std::size_t>(count));
    std::iota(out.begin(), out.end(), 0);
    return out;
}

Value init_process_group(Membership& membership, Evaluator& evaluator, const Arguments& a, Span span) {
    a.want_known();
    const GroupRequest request = request_of(a, span);
    if (membership.world)
        fail(DiagId::BadValue, span, "the process is in a group already, which destroy_process_group() leaves");
    Communication* communication = evaluator.options().communication.get();
    Ref<ProcessGroup> group;
    if (communication && !evaluator.in_preview())
        group = exchanged(communication->join(request), span);
    else
        group = Ref<ProcessGroup>(new Pretended(request.rank.value_or(0), request.size.value_or(1)));
    const int rank = group->rank(), size = group->size();
    membership.world = Ref<GroupObject>(new GroupObject(0, std::move(group), first_ranks(size), rank));
    if (Engine* engine = evaluator.engine()) {
        engine->place = {rank, size};
        engine->exchange = [joined = membership.weak_from_this()](std::int64_t number, const Exchange& exchange) {
            const MembershipRef held = joined.lock();
            return held ? held->exchange(number, exchange) : Error{"argument", "the script has ended"};
        };
    }
    return {};
}

// Of a group that its members alone ask for: how many they have asked for before is the same to all of them.
std::string name_of_part(const Membership& membership, const std::vector<int>& ranks) {
    const auto known =
        std::ranges::count_if(membership.parts, [&](const Ref<GroupObject>& each) { return each->ranks() == ranks; });
    return cat("number ", known, " of ", text_of(ranks));
}

Value new_group(Membership& membership, Evaluator& evaluator, const Arguments& a, Span span) {
    a.want_known();
    GroupObject& world = world_of(membership, span);
    PartRequest request{word_argument(a, 2, backends, "backend", ""), seconds_argument(a, 1, group_seconds),
                        world.ranks()};
    if (a.has(0)) {
        request.ranks.clear();
        for (const Value& item : evaluator.iterate(a[0], a.span(0))) {
            if (!item.is(ValueKind::Int) || item.as_int() < 0 ||
                (!evaluator.in_preview() && item.as_int() >= world.size()))
                fail(DiagId::BadValue, a.span(0), cat("ranks are numbers from 0 to ", world.size() - 1));
            request.ranks.push_back(static_cast<int>(item.as_int()));
        }
    }
    std::ranges::sort(request.ranks); // as in PyTorch
    if (request.ranks.empty() || std::ranges::adjacent_find(request.ranks) != request.ranks.end())
        fail(DiagId::BadValue, a.span(0), "the ranks of a group are one or more, each of them once");
    if (a.boolean(3, false))
        request.name = name_of_part(membership, request.ranks);
    const auto place = std::ranges::find(request.ranks, world.rank());
    Ref<ProcessGroup> part = exchanged(world.group(span).part(request), span);
    int rank = place == request.ranks.end() ? -1 : static_cast<int>(place - request.ranks.begin());
    const int number = static_cast<int>(membership.parts.size()) + 1;
    if (evaluator.in_preview())
        rank = 0; // in all of them, as it is every process
    Ref<GroupObject> made(new GroupObject(number, std::move(part), request.ranks, rank));
    membership.parts.push_back(made);
    return Value::extension(made);
}

Value destroy_process_group(Membership& membership, Evaluator& evaluator, const Arguments& a, Span span) {
    GroupObject& group = group_argument(membership, a, 0, span);
    if (a.has(0) && &group != &*membership.world) {
        group.leave();
        return {};
    }
    for (const Ref<GroupObject>& part : membership.parts)
        part->leave();
    membership.parts.clear();
    group.leave();
    membership.world.reset();
    if (Engine* engine = evaluator.engine())
        engine->place.reset();
    return {};
}

// ---- exchanging -----------------------------------------------------------------------------------------------------

TensorRef written_tensor(const Arguments& a, std::size_t i) {
    const TensorRef& tensor = tensor_argument(a, i);
    refuse_write_to_view(*tensor, a.span(i));
    return tensor;
}

void want_alike(const Tensor& one, const Tensor& other, Span span) {
    if (one.dtype != other.dtype || one.shape != other.shape)
        fail(DiagId::BadValue, span,
             cat("the tensors have one dtype and shape: here are ", tensor_signature(one), " and ",
                 tensor_signature(other)));
}

enum class Access : std::uint8_t { Read, Write };

// One for each process. A preview knows no number of processes.
std::vector<TensorRef> list_argument(Evaluator& evaluator, const Arguments& a, std::size_t i, Access access, int size) {
    std::vector<TensorRef> out;
    for (const Value& item : evaluator.iterate(a[i], a.span(i))) {
        want_known(item);
        if (!item.is(ValueKind::Tensor))
            a.wrong_type(i, "a list of tensors");
        if (access == Access::Write)
            refuse_write_to_view(*item.as_tensor(), a.span(i));
        out.push_back(item.as_tensor());
        want_alike(*out.front(), *out.back(), a.span(i));
    }
    if (out.empty() || (!evaluator.in_preview() && out.size() != static_cast<std::size_t>(size)))
        fail(DiagId::BadValue, a.span(i),
             cat("a list has a tensor for each process: ", out.size(), " instead of ", size));
    return out;
}

// What a tensor holds of each process: its items, or equal parts of its first dimension.
std::vector<TensorRef> parts_of(Evaluator& evaluator, const TensorRef& whole, const Tensor& one, int size, Span span) {
    const std::size_t bytes = element_bytes(one, span) * static_cast<std::size_t>(one.count());
    std::vector<std::int64_t> stacked{size};
    stacked.insert(stacked.end(), one.shape.begin(), one.shape.end());
    std::vector<std::int64_t> joined = one.shape;
    if (!joined.empty())
        joined[0] *= size;
    if (whole->dtype != one.dtype || (!evaluator.in_preview() && whole->shape != stacked && whole->shape != joined))
        fail(DiagId::BadValue, span, cat(tensor_signature(*whole), " is not ", size, " times ", tensor_signature(one)));
    std::vector<TensorRef> out;
    for (int i = 0; i < size; ++i) {
        TensorRef part(new Tensor(*whole));
        part->shape = one.shape;
        part->offset += static_cast<std::size_t>(i) * bytes;
        out.push_back(std::move(part));
    }
    return out;
}

void perform(Evaluator& evaluator, const GroupObject& group, const Exchange& exchange, Span span) {
    const std::int64_t count = exchange.tensor ? exchange.tensor->count() : 0;
    evaluator.impl().charge_items(static_cast<std::uint64_t>(count * group.size()), span);
    exchanged(group.group(span).exchange(exchange), span);
}

std::string reduction_argument(const Arguments& a, std::size_t i) {
    return word_argument(a, i, reductions, "reduction", "sum");
}

Value broadcast_tensor(Membership& membership, Evaluator& evaluator, const Arguments& a, Span span) {
    const GroupObject& group = group_argument(membership, a, 2, span);
    perform(evaluator, group,
            {.what = Collective::Broadcast, .tensor = written_tensor(a, 0), .other = group.rank_of(evaluator, a, 1)},
            span);
    return {};
}

Value all_reduce(Membership& membership, Evaluator& evaluator, const Arguments& a, Span span) {
    perform(evaluator, group_argument(membership, a, 2, span),
            {.what = Collective::AllReduce, .tensor = written_tensor(a, 0), .reduction = reduction_argument(a, 1)},
            span);
    return {};
}

Value reduce_to_one(Membership& membership, Evaluator& evaluator, const Arguments& a, Span span) {
    const GroupObject& group = group_argument(membership, a, 3, span);
    perform(evaluator, group,
            {.what = Collective::Reduce,
             .tensor = written_tensor(a, 0),
             .reduction = reduction_argument(a, 2),
             .other = group.rank_of(evaluator, a, 1)},
            span);
    return {};
}

Value all_gather(Membership& membership, Evaluator& evaluator, const Arguments& a, Span span) {
    const GroupObject& group = group_argument(membership, a, 2, span);
    Exchange exchange{.what = Collective::AllGather,
                      .tensor = tensor_argument(a, 1),
                      .into = list_argument(evaluator, a, 0, Access::Write, group.size())};
    want_alike(*exchange.tensor, *exchange.into[0], a.span(1));
    perform(evaluator, group, exchange, span);
    return {};
}

Value all_gather_into_tensor(Membership& membership, Evaluator& evaluator, const Arguments& a, Span span) {
    const GroupObject& group = group_argument(membership, a, 2, span);
    const TensorRef whole = written_tensor(a, 0);
    const TensorRef& one = tensor_argument(a, 1);
    perform(evaluator, group,
            {.what = Collective::AllGather,
             .tensor = one,
             .into = parts_of(evaluator, whole, *one, group.size(), a.span(0)),
             .is_of_one_tensor = true},
            span);
    return {};
}

// Of gather and scatter: the list of the one that has it.
std::vector<TensorRef> list_of_root(Evaluator& evaluator, const Arguments& a, const GroupObject& group, int root,
                                    Access access) {
    if (evaluator.in_preview() && !a.has(1))
        return {};
    if (group.rank() != root && a.has(1))
        fail(DiagId::BadValue, a.span(1),
             cat("rank ", group.ranks()[static_cast<std::size_t>(root)], " alone gives a list"));
    if (group.rank() != root)
        return {};
    std::vector<TensorRef> out = list_argument(evaluator, a, 1, access, group.size());
    want_alike(*tensor_argument(a, 0), *out[0], a.span(1));
    return out;
}

Value gather_tensors(Membership& membership, Evaluator& evaluator, const Arguments& a, Span span) {
    const GroupObject& group = group_argument(membership, a, 3, span);
    const int root = group.rank_of(evaluator, a, 2);
    perform(evaluator, group,
            {.what = Collective::Gather,
             .tensor = tensor_argument(a, 0),
             .into = list_of_root(evaluator, a, group, root, Access::Write),
             .other = root},
            span);
    return {};
}

Value scatter_tensors(Membership& membership, Evaluator& evaluator, const Arguments& a, Span span) {
    const GroupObject& group = group_argument(membership, a, 3, span);
    const int root = group.rank_of(evaluator, a, 2);
    perform(evaluator, group,
            {.what = Collective::Scatter,
             .tensor = written_tensor(a, 0),
             .from = list_of_root(evaluator, a, group, root, Access::Read),
             .other = root},
            span);
    return {};
}

Value reduce_scatter(Membership& membership, Evaluator& evaluator, const Arguments& a, Span span) {
    const GroupObject& group = group_argument(membership, a, 3, span);
    Exchange exchange{.what = Collective::ReduceScatter,
                      .tensor = written_tensor(a, 0),
                      .from = list_argument(evaluator, a, 1, Access::Read, group.size()),
                      .reduction = reduction_argument(a, 2)};
    want_alike(*exchange.tensor, *exchange.from[0], a.span(1));
    perform(evaluator, group, exchange, span);
    return {};
}

Value reduce_scatter_tensor(Membership& membership, Evaluator& evaluator, const Arguments& a, Span span) {
    const GroupObject& group = group_argument(membership, a, 3, span);
    const TensorRef one = written_tensor(a, 0);
    perform(evaluator, group,
            {.what = Collective::ReduceScatter,
             .tensor = one,
             .from = parts_of(evaluator, tensor_argument(a, 1), *one, group.size(), a.span(1)),
             .is_of_one_tensor = true,
             .reduction = reduction_argument(a, 2)},
            span);
    return {};
}

Value all_to_all(Membership& membership, Evaluator& evaluator, const Arguments& a, Span span) {
    const GroupObject& group = group_argument(membership, a, 2, span);
    Exchange exchange{.what = Collective::AllToAll,
                      .from = list_argument(evaluator, a, 1, Access::Read, group.size()),
                      .into = list_argument(evaluator, a, 0, Access::Write, group.size())};
    exchange.tensor = exchange.from[0];
    want_alike(*exchange.tensor, *exchange.into[0], a.span(0));
    perform(evaluator, group, exchange, span);
    return {};
}

Value send_tensor(Membership& membership, Evaluator& evaluator, const Arguments& a, Span span) {
    const GroupObject& group = group_argument(membership, a, 2, span);
    perform(evaluator, group,
            {.what = Collective::Send, .tensor = tensor_argument(a, 0), .other = group.rank_of(evaluator, a, 1)}, span);
    return {};
}

Value receive_tensor(Membership& membership, Evaluator& evaluator, const Arguments& a, Span span) {
    const GroupObject& group = group_argument(membership, a, 2, span);
    perform(evaluator, group,
            {.what = Collective::Receive, .tensor = written_tensor(a, 0), .other = group.rank_of(evaluator, a, 1)},
            span);
    return {};
}

Value wait_for_all(Membership& membership, Evaluator& evaluator, const Arguments& a, Span span) {
    perform(evaluator, group_argument(membership, a, 0, span), {.what = Collective::Barrier}, span);
    return {};
}

// The same at every rank, of the GPU, and of zeros: flags among it begin as no signal.
Value symmetric_zeros(Membership& membership, Evaluator& evaluator, const Arguments& a, Span span) {
    const ir::DType dtype = a.has(1) ? dtype_argument(a[1], a.span(1)) : ir::DType::F32;
    const Shape shape = shape_argument(evaluator, a[0], a.span(0));
    TensorRef tensor = new_tensor(evaluator, shape, {.dtype = dtype, .device = Device::Cuda}, span);
    const GroupObject& world = world_of(membership, span);
    if (tensor->has_data())
        tensor->storage = exchanged(world.group(span).symmetric(tensor->storage->bytes), span);
    return Value::tensor(std::move(tensor));
}

// ---- asking ---------------------------------------------------------------------------------------------------------

Value is_initialized(Membership& membership, Evaluator&, const Arguments&, Span) {
    return Value::boolean(membership.world.get() != nullptr);
}

Value is_nccl_available(Membership&, Evaluator& evaluator, const Arguments&, Span) {
    const Communication* communication = evaluator.options().communication.get();
    return Value::boolean(communication && communication->has_nccl());
}

Value get_rank(Membership& membership, Evaluator&, const Arguments& a, Span span) {
    return Value::integer(group_argument(membership, a, 0, span).rank());
}

Value get_world_size(Membership& membership, Evaluator&, const Arguments& a, Span span) {
    const GroupObject& group = group_argument(membership, a, 0, span);
    return Value::integer(group.rank() < 0 ? -1 : group.size());
}

Value get_backend(Membership& membership, Evaluator&, const Arguments& a, Span span) {
    return Value::str(group_argument(membership, a, 0, span).group(span).backend());
}

using CollectiveRow = NativeRow<Membership&, Evaluator&>;

// With the argument async_op at this place.
template <CollectiveRow::Bound collective, std::size_t async_op>
Value begun(Membership& membership, Evaluator& evaluator, const Arguments& a, Span span) {
    const bool wants_work = a.boolean(async_op, false);
    collective(membership, evaluator, a, span);
    return wants_work ? Value::extension(Ref<WorkObject>(new WorkObject)) : Value();
}

constexpr CollectiveRow distributed_rows[] = {
    {"all_gather", {"tensor_list", "tensor", "group=", "async_op="}, begun<all_gather, 3>},
    {"all_gather_into_tensor",
     {"output_tensor", "input_tensor", "group=", "async_op="},
     begun<all_gather_into_tensor, 3>},
    {"all_reduce", {"tensor", "op=", "group=", "async_op="}, begun<all_reduce, 3>},
    {"all_to_all", {"output_tensor_list", "input_tensor_list", "group=", "async_op="}, begun<all_to_all, 3>},
    {"barrier", {"group=", "async_op="}, begun<wait_for_all, 1>},
    {"broadcast", {"tensor", "src", "group=", "async_op="}, begun<broadcast_tensor, 3>},
    {"destroy_process_group", {"group="}, destroy_process_group},
    {"gather", {"tensor", "gather_list=", "dst=", "group=", "async_op="}, begun<gather_tensors, 4>},
    {"get_backend", {"group="}, get_backend},
    {"get_rank", {"group="}, get_rank},
    {"get_world_size", {"group="}, get_world_size},
    {"init_process_group",
     {"backend=", "init_method=", "store=", "timeout=", "world_size=", "rank="},
     init_process_group},
    {"is_initialized", {}, is_initialized},
    {"is_nccl_available", {}, is_nccl_available},
    {"new_group", {"ranks=", "timeout=", "backend=", "use_local_synchronization="}, new_group},
    {"recv", {"tensor", "src", "group="}, receive_tensor},
    {"reduce", {"tensor", "dst", "op=", "group=", "async_op="}, begun<reduce_to_one, 4>},
    {"reduce_scatter", {"output", "input_list", "op=", "group=", "async_op="}, begun<reduce_scatter, 4>},
    {"reduce_scatter_tensor", {"output", "input", "op=", "group=", "async_op="}, begun<reduce_scatter_tensor, 4>},
    {"scatter", {"tensor", "scatter_list=", "src=", "group=", "async_op="}, begun<scatter_tensors, 4>},
    {"send", {"tensor", "dst", "group="}, send_tensor},
    {"symmetric_zeros", {"shape", "dtype="}, symmetric_zeros},
};

constexpr Member<WorkObject> work_members[] = {
    {"wait", {}, [](WorkObject&, Evaluator&, const Arguments&, Span) { return Value::boolean(true); }},
};

constexpr Member<GroupObject> group_members[] = {
    {"rank", {}, [](GroupObject& self, Evaluator&, const Arguments&, Span) { return Value::integer(self.rank()); }},
    {"size", {}, [](GroupObject& self, Evaluator&, const Arguments&, Span) { return Value::integer(self.size()); }},
};

} // namespace

Result<std::shared_ptr<Storage>> ProcessGroup::symmetric(std::size_t bytes) {
    if (size() == 1)
        return std::make_shared<Storage>(bytes);
    return Error{"group", "emulated kernels do not reach the memory of other processes: "
                          "'hidetc emulate --ranks N' runs all ranks in one process"};
}

ProcessGroup& GroupObject::group(Span span) const {
    if (m_is_left)
        fail(DiagId::BadValue, span, "the process has left this group");
    if (m_rank < 0)
        fail(DiagId::BadValue, span, "the process is not in this group");
    return *m_group;
}

int GroupObject::rank_of(const Evaluator& evaluator, const Arguments& a, std::size_t i) const {
    const std::int64_t rank = a.integer(i, 0);
    const auto place = std::ranges::find(m_ranks, rank);
    if (evaluator.in_preview() && rank >= 0)
        return 0;
    if (place == m_ranks.end())
        fail(DiagId::BadValue, a.span(i), cat("there is no rank ", rank, " in a group of ", size()));
    return static_cast<int>(place - m_ranks.begin());
}

std::span<const Member<WorkObject>> WorkObject::members() {
    return work_members;
}

std::span<const Member<GroupObject>> GroupObject::members() {
    return group_members;
}

void make_hidet_distributed(Evaluator& evaluator, HostModule& module) {
    const auto membership = std::make_shared<Membership>();
    for (const CollectiveRow& row : distributed_rows)
        module.function(row.name, [membership, &row](Evaluator& evaluator, Args& args, Span span) {
            return row(*membership, evaluator, args, span);
        });
    add_stores(module);
    if (GraphLanguage* graphs = evaluator.options().graphs.get())
        graphs->extend(evaluator, module);
    module.refusal = [](std::string_view wanted) {
        if (wanted == "set_nccl_comms")
            return std::string("a group has its own communicator");
        if (wanted == "isend" || wanted == "irecv")
            return std::string("send() and recv() wait for each other");
        const bool is_partition = wanted == "partition" || wanted == "load_partition";
        return std::string(is_partition ? "'hidetc model run --tensor-parallel N' divides a model among processes"
                                        : "");
    };
}

// Names of PyTorch's for what all_reduce() and others take as a text.
void make_hidet_reduce_op(Evaluator& evaluator, HostModule& module) {
    constexpr std::pair<std::string_view, std::string_view> names[] = {
        {"SUM", "sum"}, {"PRODUCT", "prod"}, {"MIN", "min"}, {"MAX", "max"}, {"AVG", "avg"}};
    for (const auto& [name, reduction] : names)
        module.add(name, evaluator.new_str(std::string(reduction)));
    module.refusal = [](std::string_view) { return std::string("reductions are SUM, PRODUCT, MIN, MAX and AVG"); };
}

} // namespace hidet::lang
