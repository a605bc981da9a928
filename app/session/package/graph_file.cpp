// SPDX-License-Identifier: Apache-2.0
#include "app/session/package/graph_file.h"

#include <cstring>
#include <map>

#include "app/session/package/archive_writer.h"
#include "compiler/graph/document/document.h"
#include "compiler/graph/document/write_parts.h"
#include "compiler/graph/text/contents.h"
#include "lang/base/files.h"
#include "lang/base/text.h"
#include "lang/tensor/elements.h"
#include "runtime/package/archive.h"

namespace hidet::session {

namespace {

using graph::Graph;

constexpr const char* weights_folder = "weights/";
constexpr const char* optimised_member = "optimised"; // of an optimised graph: the matrix units that it asked for
constexpr std::int64_t most_name_bytes = 64;          // that are looked at: those of our members are shorter

// By hash: those of the graph and of the bodies of its operators.
class SavedWeights {
public:
    Result<void> add(const Graph& graph) {
        for (std::size_t i = 0; i < graph.value_slots(); ++i)
            add(graph.value({static_cast<std::uint32_t>(i)}).data);
        for (const graph::NodeId id : graph.topological())
            for (const auto& [name, value] : graph.node(id).attributes.items())
                HIDET_TRY_TO(add(graph.node(id), value));
        return {};
    }
    const std::map<std::string, lang::TensorRef>& by_hash() const { return m_by_hash; }

private:
    Result<void> add(const graph::Node& node, const graph::Attribute& value) {
        if (const auto* tensor = std::get_if<lang::TensorRef>(&value))
            add(*tensor);
        else if (const auto* body = std::get_if<std::shared_ptr<const Graph>>(&value))
            return add(**body);
        else if (std::holds_alternative<std::shared_ptr<const graph::Task>>(value))
            return Error{"graph-not-saved",
                         cat("'", node.op->name,
                             "' is computed as the script defines it, which a file does not hold: the built "
                             "graph can be saved")};
        return {};
    }
    void add(const lang::TensorRef& tensor) {
        const bool is_in_document =
            tensor && tensor->count() <= graph::most_inline_elements && lang::holds_numbers(tensor->dtype);
        if (tensor && tensor->has_data() && !is_in_document)
            m_by_hash.emplace(graph::content_hash(*tensor), tensor);
    }

    std::map<std::string, lang::TensorRef> m_by_hash;
};

// Elements of less than a byte are packed.
std::size_t byte_count(const lang::Tensor& tensor) {
    return (static_cast<std::size_t>(tensor.count()) * static_cast<std::size_t>(ir::info(tensor.dtype).bits) + 7) / 8;
}

class ReadArchive {
public:
    static Result<ReadArchive> open(const std::string& path) {
        ReadArchive out;
        Result<std::string> bytes = read_file(path);
        if (!bytes)
            return bytes.error();
        out.m_bytes = std::move(bytes).value();
        package::Memory memory;
        package::Archive archive;
        package::Problem problem;
        if (!package::read_archive(reinterpret_cast<const unsigned char*>(out.m_bytes.data()), out.m_bytes.size(),
                                   memory, archive, problem))
            return Error{"document-broken", std::string(problem.message)};
        for (const package::ArchiveMember& member : archive.members)
            out.m_members.emplace(std::string(member.name.data(), member.name.size()),
                                  std::pair(member.offset, member.bytes));
        return out;
    }
    std::optional<std::string_view> member(const std::string& name) const {
        const auto found = m_members.find(name);
        if (found == m_members.end())
            return std::nullopt;
        return std::string_view(m_bytes).substr(found->second.first, found->second.second);
    }

private:
    std::string m_bytes;
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> m_members; // places in the bytes
};

// Null: they are not there, or are others.
lang::TensorRef weights_of(const ReadArchive& archive, const std::string& hash, const graph::TensorSpec& spec) {
    const std::optional<std::string_view> bytes = archive.member(weights_folder + hash);
    const auto shape = graph::constant_shape(spec.shape);
    if (!bytes || !shape)
        return nullptr;
    lang::TensorRef tensor(new lang::Tensor);
    tensor->dtype = spec.dtype;
    tensor->shape = *shape;
    if (byte_count(*tensor) != bytes->size())
        return nullptr;
    tensor->storage = std::make_shared<lang::Storage>(bytes->size());
    std::memcpy(tensor->data(), bytes->data(), bytes->size());
    return graph::content_hash(*tensor) == hash ? tensor : nullptr;
}

} // namespace

std::string first_member_of(const std::string& path) {
    constexpr std::size_t count_at = 26, name_at = 30; // in the record of a member
    const Result<InputFile> file = InputFile::open(path);
    const Result<std::string> head = file ? file.value().start(name_at + most_name_bytes, path) : file.error();
    if (!head || !head.value().starts_with("PK\3\4") || head.value().size() < name_at)
        return "";
    std::uint16_t count = 0;
    std::memcpy(&count, head.value().data() + count_at, sizeof count);
    return head.value().substr(name_at, count);
}

Result<void> write_graph_file(const std::string& path, const graph::ScriptGraph& graph) {
    SavedWeights weights;
    HIDET_TRY_TO(weights.add(graph.graph));
    const std::string document = graph::write_document({.graph = graph.graph});
    std::vector<ArchiveFile> files = {{std::string(graph_member), document}};
    if (graph.partition)
        files.push_back({optimised_member, graph.mma});
    for (const auto& [hash, tensor] : weights.by_hash())
        files.push_back({weights_folder + hash, {reinterpret_cast<const char*>(tensor->read()), byte_count(*tensor)}});
    return write_archive(path, files);
}

Result<graph::ScriptGraph> read_graph_file(const std::string& path) {
    const Result<ReadArchive> archive = ReadArchive::open(path);
    if (!archive)
        return archive.error();
    const std::optional<std::string_view> document = archive.value().member(std::string(graph_member));
    if (!document)
        return Error{"document-broken", "it holds no graph"};
    std::string missing;
    Result<Graph> read = graph::read_document(*document, [&](const std::string& hash, const graph::TensorSpec& spec) {
        lang::TensorRef weights = weights_of(archive.value(), hash, spec);
        if (!weights)
            missing = hash;
        return weights;
    });
    if (!read)
        return read.error();
    if (!missing.empty())
        return Error{"document-broken", cat("the weights with the hash ", missing, " are not there, or damaged")};
    graph::ScriptGraph out{std::move(read).value(), std::nullopt};
    if (const auto mma = archive.value().member(optimised_member)) {
        out.partition.emplace();
        out.mma = *mma;
    }
    return out;
}

} // namespace hidet::session
