// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/graph.h"

#include <utility>

#include "lang/base/text.h"

namespace hidet::cuda {

namespace {

constexpr std::size_t named_launches = 4;

struct Recording {
    GraphHandle graph = nullptr;
    std::size_t nodes = 0;
    std::string text;
};

std::string text_of(const std::vector<std::string>& launches, std::size_t nodes) {
    std::vector<std::string> named(
        launches.begin(), launches.begin() + static_cast<std::ptrdiff_t>(std::min(named_launches, launches.size())));
    std::string more = nodes > named.size() ? cat(" and ", nodes - named.size(), " more") : "";
    return cat("a kernel of a graph of ", join(named, ", "), more);
}

Result<Recording> record(Stream& stream, const Graph::Body& body) {
    Context& context = stream.context();
    const Api& api = context.api();
    HIDET_TRY_TO(context.enter());
    const Stream::Own own(stream);
    HIDET_TRY_TO(context.check(api.capture_begin(stream.handle(), capture_thread_local), "recording a graph"));
    std::uint64_t before = context.log().now();
    Result<void> ran = body();
    Recording recording;
    // The end is told also after a failure: the stream would go on recording.
    Status ended = api.capture_end(stream.handle(), &recording.graph);
    std::vector<std::string> launches = context.log().withdraw(before);
    if (ended == Status::Success && recording.graph)
        api.graph_get_nodes(recording.graph, nullptr, &recording.nodes);
    recording.text = text_of(launches, recording.nodes);
    if (ran && ended == Status::Success)
        return recording;
    if (recording.graph)
        api.graph_destroy(recording.graph);
    return ran ? context.failure(ended, "recording a graph") : ran.error();
}

} // namespace

Result<Graph> Graph::capture(Stream& stream, const Body& body) {
    stream.take_recorded();
    HIDET_TRY(Recording recording, record(stream, body));
    Context& context = stream.context();
    GraphExecHandle exec = nullptr;
    Status status = context.api().graph_instantiate(&exec, recording.graph, 0);
    context.api().graph_destroy(recording.graph);
    if (status != Status::Success)
        return context.failure(status, "making a graph of what was recorded");
    Graph graph;
    graph.m_exec = Owned<GraphExecHandle, &Api::graph_exec_destroy>(stream.shared_context(), exec);
    graph.m_nodes = recording.nodes;
    graph.m_behind = stream.take_recorded();
    graph.m_text = std::make_shared<const std::string>(std::move(recording.text));
    return graph;
}

Result<void> Graph::launch(Stream& stream) {
    Context& context = m_exec.context();
    HIDET_TRY_TO(context.enter());
    Stream::Printing printing(stream);
    HIDET_TRY_TO(context.check(context.api().graph_launch(m_exec.get(), stream.handle()), "launching a graph"));
    context.log().add(m_text, stream.handle());
    for (const std::shared_ptr<Event>& event : m_behind)
        HIDET_TRY_TO(event->record(stream));
    return {};
}

} // namespace hidet::cuda
