// SPDX-License-Identifier: Apache-2.0
#include "runtime/capi/package.h"

#include <cstdlib>
#include <new>
#include <utility>

#include <sys/mman.h>

#include "runtime/package/digest.h"
#include "runtime/package/plan_names.h"
#include "runtime/package/read.h"
#include "runtime/package/words.h"

namespace hidet::capi {

using namespace package;

namespace {

// JSON, written into memory that grows.
class Json {
public:
    explicit Json(std::size_t most) : m_most(most) {} // bytes
    ~Json() { std::free(m_text); }
    Json(const Json&) = delete;
    Json& operator=(const Json&) = delete;

    // '{' and '[' begin, '}' and ']' end; commas are written where they belong.
    Json& begin(char bracket) {
        separate();
        put(&bracket, 1);
        m_is_first = true;
        return *this;
    }
    Json& end(char bracket) {
        put(&bracket, 1);
        m_is_first = false;
        return *this;
    }
    Json& key(const char* name) {
        text(package::text(name));
        put(": ", 2);
        m_is_first = true;
        return *this;
    }
    Json& key(Text name) {
        text(name);
        put(": ", 2);
        m_is_first = true;
        return *this;
    }
    Json& text(Text text) {
        separate();
        put("\"", 1);
        for (std::size_t i = 0; i < text.size(); ++i)
            put_character(text.data()[i]);
        put("\"", 1);
        return *this;
    }
    Json& number(std::int64_t number) {
        separate();
        char digits[24];
        put(digits, static_cast<std::size_t>(std::snprintf(digits, sizeof digits, "%" PRId64, number)));
        return *this;
    }
    Json& boolean(bool holds) {
        separate();
        put(holds ? "true" : "false", holds ? 4 : 5);
        return *this;
    }
    bool is_too_long() const { return m_is_too_long; }
    char* take() { // to be freed; null: there was no memory, or it is too long
        put("", 1);
        char* taken = m_is_full ? nullptr : m_text;
        if (taken)
            m_text = nullptr;
        return taken;
    }

private:
    void separate() {
        if (!m_is_first)
            put(", ", 2);
        m_is_first = false;
    }
    void put_character(char c) {
        char escaped[8];
        if (c == '"' || c == '\\') {
            const char both[] = {'\\', c};
            put(both, 2);
        } else if (static_cast<unsigned char>(c) < 0x20) {
            put(escaped, static_cast<std::size_t>(std::snprintf(escaped, sizeof escaped, "\\u%04x", c)));
        } else {
            put(&c, 1);
        }
    }
    void put(const char* bytes, std::size_t count) {
        if (m_is_full)
            return;
        if (count > m_most - m_count) {
            m_is_full = m_is_too_long = true;
            return;
        }
        if (m_count + count > m_room) {
            const std::size_t room = 2 * (m_count + count) + 1024;
            char* larger = static_cast<char*>(std::realloc(m_text, room));
            if (!larger) {
                m_is_full = true;
                return;
            }
            m_text = larger;
            m_room = room;
        }
        std::memcpy(m_text + m_count, bytes, count);
        m_count += count;
    }

    char* m_text = nullptr;
    const std::size_t m_most;
    std::size_t m_count = 0, m_room = 0;
    bool m_is_first = true, m_is_full = false, m_is_too_long = false;
};

Text text_of(const auto& words) {
    return {words.data(), static_cast<std::uint32_t>(words.size())};
}

// Extents that depend on the inputs are -1, and have names.
void write_values(Json& json, const char* key, const Body& body, const List<Row>& rows) {
    json.key(key).begin('[');
    for (const Row row : rows) {
        const Value& value = body.values[row];
        json.begin('{').key("name").text(value.name).key("dtype").text(value.dtype).key("shape").begin('[');
        bool is_dynamic = false;
        for (const Row extent : value.shape) {
            const List<ExprWord>& expression = body.expressions[extent];
            const bool is_constant = expression.size() == 1 && expression[0].op == ExprOp::Constant;
            is_dynamic |= !is_constant;
            json.number(is_constant ? expression[0].operand : -1);
        }
        json.end(']');
        if (is_dynamic) {
            json.key("dimensions").begin('[');
            for (const Row extent : value.shape)
                json.text(text_of(expression_words(body, extent)));
            json.end(']');
        }
        json.end('}');
    }
    json.end(']');
}

// Each kind of code once, up to a number that no compiler reaches.
void write_code(Json& json, const List<PlanImage<Flat>>& images) {
    constexpr std::size_t most = 64;
    const PlanImage<Flat>* written[most];
    std::size_t count = 0;
    json.key("code").begin('[');
    for (const PlanImage<Flat>& image : images) {
        bool is_new = count < most;
        for (std::size_t i = 0; i < count; ++i)
            is_new = is_new && !(written[i]->kind == image.kind && written[i]->architecture == image.architecture);
        if (!is_new)
            continue;
        written[count++] = &image;
        json.begin('{').key("kind").text(text(enum_name(image.kind)));
        json.key("architecture").text(image.architecture).end('}');
    }
    json.end(']');
}

std::int64_t size_of(const auto& list) {
    return static_cast<std::int64_t>(list.size());
}

void write_target(Json& json, const PackageVariant<Flat>& variant, const Plan& plan) {
    std::uint64_t bytes = 0;
    for (const PlanWeight<Flat>& weight : plan.weights)
        bytes += weight.bytes;
    json.begin('{').key("target").text(variant.target).key("architecture").text(variant.architecture);
    json.key("steps").number(size_of(plan.steps)).key("weightBytes").number(static_cast<std::int64_t>(bytes));
    write_code(json, plan.images);
    json.end('}');
}

void write_entries(Json& json, const Manifest& manifest, const List<Plan>& plans) {
    json.key("entries").begin('[');
    for (std::size_t i = 0; i < manifest.variants.size(); ++i) {
        const Text entry = manifest.variants[i].entry;
        if (i > 0 && manifest.variants[i - 1].entry == entry)
            continue;
        json.begin('{').key("name").text(entry);
        write_values(json, "inputs", plans[i], plans[i].inputs);
        write_values(json, "outputs", plans[i], plans[i].outputs);
        json.key("targets").begin('[');
        for (std::size_t k = i; k < manifest.variants.size() && manifest.variants[k].entry == entry; ++k)
            write_target(json, manifest.variants[k], plans[k]);
        json.end(']').end('}');
    }
    json.end(']');
}

void describe(Json& json, const Manifest& manifest, const List<Plan>& plans, bool is_signed) {
    json.begin('{').key("format").number(std::int64_t{manifest.version}).key("name").text(manifest.name);
    json.key("writer").text(manifest.writer).key("signed").boolean(is_signed);
    write_entries(json, manifest, plans);
    json.key("facts").begin('{');
    for (const PackageFact<Flat>& fact : manifest.facts)
        json.key(fact.name).text(fact.value);
    json.end('}').key("members").begin('[');
    for (const PackageMember<Flat>& member : manifest.members)
        json.begin('{')
            .key("name")
            .text(member.name)
            .key("bytes")
            .number(static_cast<std::int64_t>(member.bytes))
            .end('}');
    json.end(']').end('}');
}

constexpr std::size_t checksum_bytes = 16; // behind the manifest: of all that stands before
constexpr std::uint64_t signature_bytes = 64;
constexpr std::size_t usual_description = std::size_t{1} << 20;

} // namespace

Package* Package::open(Bytes bytes, void* mapping, const hidet_open_options& options, Problem& problem) {
    void* place = std::malloc(sizeof(Package));
    if (!place) {
        refuse(problem, Code::Memory, "memory for a package");
        return nullptr;
    }
    auto* package = new (place) Package;
    package->m_bytes = bytes;
    package->m_options = options;
    if (package->read(problem)) {
        package->m_mapping = mapping;
        return package;
    }
    package->drop();
    return nullptr;
}

void Package::drop() {
    if (__atomic_sub_fetch(&m_users, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    this->~Package();
    std::free(this);
}

Package::~Package() {
    while (m_shared)
        forget(m_shared);
    std::free(m_description);
    if (m_mapping)
        munmap(m_mapping, m_bytes.count);
    pthread_mutex_destroy(&m_mutex);
}

bool Package::read(Problem& problem) {
    if (!read_archive(m_bytes.data, m_bytes.count, m_memory, m_archive, problem) || !read_manifest(problem))
        return false;
    if (m_options.verify && !check_signature(problem))
        return false;
    if (!read_plans(problem))
        return false;
    return describe(problem);
}

// Rows may name one value, or one long text, over and over.
bool Package::describe(Problem& problem) {
    Json json(usual_description + m_bytes.count);
    capi::describe(json, m_manifest, m_plans, m_archive.find(text(signature_member)) != nullptr);
    m_description = json.take();
    if (json.is_too_long())
        return refuse(problem, Code::Damaged, "the package is damaged: its description is longer than it is");
    return m_description || refuse(problem, Code::Memory, "memory for the description of a package");
}

bool Package::read_manifest(Problem& problem) {
    const auto damaged = [&](const auto&... parts) {
        return refuse(problem, Code::Damaged, "the package is damaged: ", parts...);
    };
    const List<ArchiveMember>& members = m_archive.members;
    if (members.empty() || !(members[0].name == text(manifest_member)))
        return refuse(problem, Code::Damaged, "it is an archive, but no package: its first member is not ",
                      manifest_member);
    const unsigned char* manifest = m_bytes.data + members[0].offset;
    if (members[0].bytes < checksum_bytes)
        return damaged("its manifest ends too early");
    const std::uint64_t count = members[0].bytes - checksum_bytes;
    // Whoever reads a later version has to be told so, whatever else is new in it.
    const bool is_ours = package::read_manifest(manifest, count, m_memory, m_manifest, problem);
    if (!is_ours && problem.code == Code::Version)
        return false;
    Checksum written;
    std::memcpy(&written, manifest + count, checksum_bytes);
    if (written != checksum_of(manifest, count))
        return damaged("its manifest has other bytes than were written");
    if (!is_ours)
        return false;
    const std::size_t others = members.size() > 1 && members[1].name == text(signature_member) ? 2 : 1;
    if (members.size() - others != m_manifest.members.size())
        return damaged("it has ", members.size() - others, " members, and its manifest ", m_manifest.members.size());
    if (!m_memory.make(m_members, m_manifest.members.size()) || !m_memory.make(m_is_checked, m_manifest.members.size()))
        return refuse(problem, Code::Memory, "memory for the members of a package");
    for (std::size_t i = 0; i < m_members.size(); ++i) {
        const ArchiveMember& member = members[i + others];
        if (!(member.name == m_manifest.members[i].name) || member.bytes != m_manifest.members[i].bytes)
            return damaged("its manifest names '", m_manifest.members[i].name, "' where it has '", member.name, "'");
        m_members[i] = {m_bytes.data + member.offset, member.bytes};
    }
    return true;
}

// What is signed is the manifest, and it has a digest of each member.
bool Package::check_signature(Problem& problem) {
    const ArchiveMember* signature = m_archive.find(text(signature_member));
    if (!signature)
        return refuse(problem, Code::Untrusted, "the package is not signed");
    const ArchiveMember& manifest = m_archive.members[0];
    if (signature->bytes != signature_bytes ||
        !m_options.verify(m_options.verify_self, m_bytes.data + manifest.offset, manifest.bytes,
                          m_bytes.data + signature->offset, signature->bytes))
        return refuse(problem, Code::Untrusted,
                      "the signature of the package is not by a trusted key, or of other bytes");
    for (std::size_t i = 0; i < m_members.size(); ++i) {
        const Sha256 found = sha256_of(m_members[i].data, m_members[i].count);
        if (std::memcmp(found.words, m_manifest.members[i].sha256, sizeof found.words) != 0)
            return refuse(problem, Code::Untrusted, "'", m_manifest.members[i].name,
                          "' has other bytes than were signed");
    }
    return true;
}

static bool is_alike(const Plan& one, const Plan& other) {
    const auto agree = [&](const List<Row>& a, const List<Row>& b) {
        for (std::size_t i = 0; i < a.size() && a.size() == b.size(); ++i) {
            const Value& left = one.values[a[i]];
            const Value& right = other.values[b[i]];
            if (!(left.name == right.name) || !(left.dtype == right.dtype) || left.shape.size() != right.shape.size())
                return false;
        }
        return a.size() == b.size();
    };
    return agree(one.inputs, other.inputs) && agree(one.outputs, other.outputs);
}

bool Package::read_plans(Problem& problem) {
    const List<PackageVariant<Flat>>& variants = m_manifest.variants;
    if (variants.empty())
        return refuse(problem, Code::Damaged, "the package is damaged: it has nothing that can be run");
    List<std::uint8_t> is_taken; // members
    if (!m_memory.make(m_plans, variants.size()) || !m_memory.make(is_taken, m_members.size()))
        return refuse(problem, Code::Memory, "memory for the plans of a package");
    for (std::size_t i = 0, first = 0; i < variants.size(); ++i) {
        if (variants[i].plan >= m_members.size())
            return refuse(problem, Code::Damaged, "the package is damaged: variant ", i, " has no plan");
        const Row row = variants[i].plan;
        const Text name = m_manifest.members[row].name;
        // So all plans together take no more than what the file holds.
        if (std::exchange(is_taken[row], std::uint8_t{1}))
            return refuse(problem, Code::Damaged, "the package is damaged: '", name, "' is the plan of two variants");
        const Bytes bytes = m_members[row];
        Problem broken;
        if (!check_bytes(row, problem))
            return false;
        if (!read_plan(bytes.data, bytes.count, m_memory, m_plans[i], broken))
            return refuse(problem, broken.code, "'", name, "': ", text(broken.message));
        if (!(m_plans[i].target == variants[i].target))
            return refuse(problem, Code::Damaged, "the package is damaged: '", name, "' is a plan for '",
                          m_plans[i].target, "', not for '", variants[i].target, "'");
        if (i == 0 || !(variants[i].entry == variants[i - 1].entry))
            first = i;
        if (!is_alike(m_plans[first], m_plans[i]))
            return refuse(problem, Code::Damaged, "the package is damaged: the plans of '", variants[i].entry,
                          "' take or give different things");
    }
    return true;
}

// Two threads may both do it; they find the same.
bool Package::check_bytes(Row row, Problem& problem) {
    if (__atomic_load_n(&m_is_checked[row], __ATOMIC_ACQUIRE))
        return true;
    const PackageMember<Flat>& member = m_manifest.members[row];
    if (checksum_of(m_members[row].data, m_members[row].count) != Checksum{member.low, member.high})
        return refuse(problem, Code::Damaged, "the package is damaged: '", member.name,
                      "' has other bytes than were written");
    __atomic_store_n(&m_is_checked[row], std::uint8_t{1}, __ATOMIC_RELEASE);
    return true;
}

bool Package::member(Text name, Bytes& bytes, Problem& problem) {
    for (Row row = 0; row < m_members.size(); ++row)
        if (m_manifest.members[row].name == name) {
            bytes = m_members[row];
            return check_bytes(row, problem);
        }
    return refuse(problem, Code::Damaged, "the package is damaged: it has no '", name, "'");
}

bool Package::weight(const PlanWeight<Flat>& weight, Bytes& bytes, Problem& problem) {
    Bytes whole;
    if (!member(weight.member, whole, problem))
        return false;
    if (weight.offset > whole.count || weight.bytes > whole.count - weight.offset)
        return refuse(problem, Code::Damaged, "the package is damaged: a weight ends past '", weight.member, "'");
    bytes = {whole.data + weight.offset, weight.bytes};
    return true;
}

bool Package::verify(Problem& problem) {
    for (Row row = 0; row < m_members.size(); ++row) {
        const Sha256 found = sha256_of(m_members[row].data, m_members[row].count);
        if (std::memcmp(found.words, m_manifest.members[row].sha256, sizeof found.words) != 0 ||
            !check_bytes(row, problem))
            return refuse(problem, Code::Damaged, "the package is damaged: '", m_manifest.members[row].name,
                          "' has other bytes than were written");
    }
    Bytes unused;
    for (const Plan& plan : m_plans) {
        for (const PlanWeight<Flat>& each : plan.weights)
            if (!weight(each, unused, problem))
                return false;
        for (const PlanImage<Flat>& image : plan.images)
            if (!member(image.member, unused, problem))
                return false;
    }
    return true;
}

Shared* Package::find(const void* kind, std::uint64_t key) const {
    for (Shared* each = m_shared; each; each = each->next)
        if (each->kind == kind && each->key == key)
            return each;
    return nullptr;
}

void Package::add(Shared& shared) {
    shared.next = m_shared;
    m_shared = &shared;
}

void Package::forget(Shared* shared) {
    for (Shared** each = &m_shared; *each; each = &(*each)->next)
        if (*each == shared) {
            *each = shared->next;
            return shared->free(shared);
        }
}

} // namespace hidet::capi
