// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/model.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sodium.h>

#include "lang/base/files.h"
#include "runtime/tool/dtypes.h"

namespace hidet::tool {

using nlohmann::json;
using runtime::Model;
using runtime::Package;

namespace {

// Ed25519 signatures of packages: one key, and whether a signature was made with its other half.
using PublicKey = std::array<unsigned char, 32>;

static_assert(std::tuple_size_v<PublicKey> == crypto_sign_PUBLICKEYBYTES);

bool read_digits(std::string text, PublicKey& key) {
    std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
    if (text.size() != 2 * key.size())
        return false;
    for (std::size_t i = 0; i < key.size(); ++i) {
        const char* digits = text.data() + 2 * i;
        auto [end, error] = std::from_chars(digits, digits + 2, key[i], 16);
        if (error != std::errc() || end != digits + 2)
            return false;
    }
    return true;
}

// Of a file with its 32 bytes, or with 64 hexadecimal digits. Stops where it is neither.
PublicKey read_key(const std::string& path) {
    const Result<std::string> read = read_file(path, 1024);
    if (!read && read.error().code != "file-too-large")
        throw Stop{exit_usage, read.error().message};
    const std::string text = read ? read.value() : "";
    PublicKey key = {};
    if (text.size() == key.size())
        std::copy(text.begin(), text.end(), key.begin());
    else if (!read_digits(text, key))
        throw Stop{exit_usage, "'" + path + "' is no public key: 32 bytes, or 64 hexadecimal digits"};
    return key;
}

bool is_signed_by(const PublicKey& key, std::span<const std::byte> message, std::span<const std::byte> signature) {
    if (sodium_init() < 0 || signature.size() != crypto_sign_BYTES)
        return false;
    return crypto_sign_verify_detached(reinterpret_cast<const unsigned char*>(signature.data()),
                                       reinterpret_cast<const unsigned char*>(message.data()), message.size(),
                                       key.data()) == 0;
}

} // namespace

Package open_package(const Arguments& arguments) {
    runtime::OpenOptions options;
    if (!arguments.key.empty())
        options.verify = [key = read_key(arguments.key)](auto manifest, auto signature) {
            return is_signed_by(key, manifest, signature);
        };
    auto package = Package::open(arguments.package, std::move(options));
    if (!package && package.error().message.find(arguments.package) == std::string::npos)
        throw Stop{exit_of(package.error().status), arguments.package + ": " + package.error().message};
    return take(std::move(package));
}

json entry_of(const json& description, const std::string& name) {
    for (const json& entry : description.value("entries", json::array()))
        if (name.empty() || entry.value("name", "") == name)
            return entry;
    return json::object();
}

json shape_of(const json& value) {
    json shape = value.value("shape", json::array());
    const json words = value.value("dimensions", json::array());
    for (std::size_t d = 0; d < shape.size() && d < words.size(); ++d)
        if (shape[d] == -1)
            shape[d] = words[d];
    return shape;
}

// ---- devices ----

static hidet_device device_of(const Arguments& arguments) {
    const std::string& text = arguments.device;
    if (text == "cpu")
        return runtime::cpu;
    if (text == "cuda")
        return runtime::cuda(arguments.gpu);
    int id = -1;
    if (text.starts_with("cuda:")) {
        auto [end, error] = std::from_chars(text.data() + 5, text.data() + text.size(), id);
        if (error == std::errc() && end == text.data() + text.size() && id >= 0)
            return runtime::cuda(id);
    }
    throw Stop{exit_usage, "--device is auto, cpu, cuda or cuda:N, not '" + text + "'"};
}

static bool has_code_for(const json& entry, const std::string& target) {
    return std::ranges::any_of(entry.value("targets", json::array()),
                               [&](const json& each) { return each.value("target", "") == target; });
}

Model create_model(const Package& package, const Arguments& arguments, Processes& processes,
                   std::function<void(const std::string&, double)> profile) {
    runtime::ModelOptions options;
    options.entry = arguments.entry;
    options.runs_native_code = arguments.trust;
    options.threads = arguments.threads;
    options.profile = std::move(profile);
    if (arguments.device == "auto") {
        const json entry = entry_of(json::parse(package.describe()), arguments.entry);
        options.device = runtime::cuda(arguments.gpu);
        if (has_code_for(entry, "cuda")) {
            processes.join(options);
            auto model = package.create(options);
            const bool is_elsewhere =
                model || !has_code_for(entry, "cpu") || exit_of(model.error().status) != exit_environment;
            if (is_elsewhere)
                return take(std::move(model));
        }
        options.device = runtime::cpu;
    } else {
        options.device = device_of(arguments);
    }
    processes.join(options);
    auto model = package.create(std::move(options));
    if (!model && model.error().status == HIDET_NOT_TRUSTED)
        throw Stop{exit_wrong, model.error().message + "; --trust allows it"};
    return take(std::move(model));
}

// ---- inputs ----

namespace {

class Random {
public:
    explicit Random(std::uint64_t seed) : m_state(seed) {}
    std::uint64_t next() {
        std::uint64_t bits = m_state += 0x9e3779b97f4a7c15;
        bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
        bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
        return bits ^ bits >> 31;
    }
    double number() { return static_cast<double>(next() >> 11) * 0x1p-52 - 1; } // [-1, 1)

private:
    std::uint64_t m_state;
};

template <class T>
void store(std::byte* to, T value) {
    std::memcpy(to, &value, sizeof value);
}

// Integers are 0 or 1, which are indices and masks of any model. Small floats are a number of few bits, made of its parts.
void store_random(Random& random, hidet_dtype dtype, std::byte* to) {
    const std::uint64_t bits = random.next();
    switch (dtype.code) {
    case HIDET_FLOAT:
        if (dtype.bits == 16)
            return store(to, static_cast<std::uint16_t>((bits & 0x83ff) | (8 + bits % 7) << 10)); // 2^-7 to 1
        if (dtype.bits == 32)
            return store(to, static_cast<float>(random.number()));
        return store(to, random.number());
    case HIDET_BFLOAT: return store(to, static_cast<std::uint16_t>((bits & 0x807f) | (120 + bits % 7) << 7));
    case HIDET_FLOAT8_E4M3FN: return store(to, static_cast<std::uint8_t>((bits & 0x87) | (1 + bits % 6) << 3));
    case HIDET_FLOAT8_E5M2: return store(to, static_cast<std::uint8_t>((bits & 0x83) | (8 + bits % 7) << 2));
    case HIDET_COMPLEX: {
        const hidet_dtype part = {HIDET_FLOAT, static_cast<std::uint8_t>(dtype.bits / 2), 1};
        store_random(random, part, to);
        return store_random(random, part, to + dtype.bits / 16);
    }
    default: *to = static_cast<std::byte>(bits >> 63);
    }
}

class InputMaker {
public:
    InputMaker(const Package& package, const Model& model, const Arguments& arguments)
        : m_arguments(arguments), m_infos(model.inputs()), m_random(arguments.seed) {
        const json entry = entry_of(json::parse(package.describe()), arguments.entry);
        for (const json& input : entry.value("inputs", json::array()))
            m_dimensions.push_back(shape_of(input));
        m_dimensions.resize(m_infos.size(), json::array());
        for (const auto& [name, extent] : arguments.dimensions)
            learn_dimension(name, extent);
    }

    std::vector<Array> run() {
        std::vector<std::optional<Array>> arrays(m_infos.size());
        for (const auto& [name, path] : m_arguments.inputs) {
            const std::size_t i = find(name);
            arrays[i] = read_npy(path, m_infos[i].dtype);
            learn_extents(i, *arrays[i]);
        }
        std::vector<Array> made;
        for (std::size_t i = 0; i < arrays.size(); ++i)
            made.push_back(arrays[i] ? std::move(*arrays[i]) : make_random(i));
        return made;
    }

private:
    std::size_t find(const std::string& name) const {
        auto found = std::ranges::find(m_infos, name, &runtime::ValueInfo::name);
        if (found == m_infos.end())
            throw Stop{exit_usage, "the model has no input '" + name + "'; it has " + names()};
        return static_cast<std::size_t>(found - m_infos.begin());
    }
    std::string names() const {
        std::string text;
        for (const runtime::ValueInfo& info : m_infos)
            text += (text.empty() ? "'" : ", '") + info.name + "'";
        return text.empty() ? "none" : text;
    }
    void learn_dimension(const std::string& name, std::int64_t extent) {
        for (const json& shape : m_dimensions)
            if (std::ranges::find(shape, json(name)) != shape.end()) {
                m_extents[name] = extent;
                return;
            }
        throw Stop{exit_usage, "no input of the model has a dimension '" + name + "'"};
    }
    void learn_extents(std::size_t input, const Array& array) {
        const json& shape = m_dimensions[input];
        for (std::size_t d = 0; d < shape.size() && shape.size() == array.shape.size(); ++d)
            if (shape[d].is_string())
                m_extents.emplace(shape[d], array.shape[d]);
    }
    Array make_random(std::size_t input) {
        const runtime::ValueInfo& info = m_infos[input];
        Array array = {info.dtype, info.shape, {}};
        for (std::size_t d = 0; d < array.shape.size(); ++d)
            if (array.shape[d] < 0)
                array.shape[d] = extent_of(input, d);
        const std::optional<std::size_t> bytes = bytes_of(array.dtype, array.shape);
        if (!bytes)
            throw Stop{exit_usage,
                       "input '" + info.name + "' would be too large: " + type_text(array.dtype, array.shape)};
        array.bytes.resize(*bytes);
        const std::size_t size = array.dtype.bits / 8;
        for (std::size_t at = 0; at < *bytes; at += size)
            store_random(m_random, array.dtype, array.bytes.data() + at);
        return array;
    }
    std::int64_t extent_of(std::size_t input, std::size_t d) const {
        const json& shape = m_dimensions[input];
        const auto found = d < shape.size() && shape[d].is_string() ? m_extents.find(shape[d]) : m_extents.end();
        return found == m_extents.end() ? 1 : found->second;
    }

    const Arguments& m_arguments;
    std::vector<runtime::ValueInfo> m_infos;
    std::vector<json> m_dimensions; // of each input: numbers, and names of what is dynamic
    std::map<std::string, std::int64_t> m_extents;
    Random m_random;
};

} // namespace

std::vector<Array> make_inputs(const Package& package, const Model& model, const Arguments& arguments) {
    return InputMaker(package, model, arguments).run();
}

std::vector<runtime::Tensor> tensors_of(const std::vector<Array>& arrays) {
    std::vector<runtime::Tensor> tensors;
    for (const Array& array : arrays)
        tensors.push_back(array.tensor());
    return tensors;
}

Array read_output(const Model& model, std::size_t output) {
    const runtime::Tensor tensor = take(model.output(output));
    Array array = {tensor.dtype(), tensor.shape(), std::vector<std::byte>(tensor.bytes())};
    take(model.read_bytes(output, array.bytes));
    return array;
}

} // namespace hidet::tool
