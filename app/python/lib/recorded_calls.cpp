// SPDX-License-Identifier: Apache-2.0
#include "app/python/lib/recorded_calls.h"

#include <algorithm>
#include <bit>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>

#include "app/python/lib/shared_tensor.h"
#include "app/python/lib/value_object.h"

namespace hidet::python {

namespace ffi = tvm::ffi;
using KeptCall = session::ScriptEngine::KeptCall;

namespace {

constexpr std::size_t most_entries = 256; // then it begins anew
constexpr int times_before = 2;           // numbers that change with each call are not worth a record

// What a key holds of an argument begins with one of these.
enum : std::int64_t { Nothing, Boolean, Integer, Real, Shared, Own };

const DLTensor* shared(const ffi::AnyView& arg) {
    return arg.as<ffi::TensorObj>();
}

lang::Tensor* own(const ffi::AnyView& arg) {
    const auto* object = arg.as<ValueObject>();
    return object && object->value.is(lang::ValueKind::Tensor) ? object->value.as_tensor().get() : nullptr;
}

bool describe_one(const ffi::AnyView& arg, std::vector<std::int64_t>& out) {
    const auto add = [&](std::initializer_list<std::int64_t> numbers) { out.insert(out.end(), numbers); };
    if (const DLTensor* tensor = shared(arg)) {
        if (tensor->device.device_type != kDLCUDA || !tensor->data || !is_dense(*tensor))
            return false;
        add({Shared, tensor->dtype.code, tensor->dtype.bits, tensor->dtype.lanes, tensor->ndim});
        out.insert(out.end(), tensor->shape, tensor->shape + tensor->ndim);
        return true;
    }
    if (const lang::Tensor* tensor = own(arg)) {
        if (tensor->device != Device::Cuda || !tensor->has_data() || tensor->is_strided_view)
            return false;
        add({Own, static_cast<std::int64_t>(tensor->dtype), static_cast<std::int64_t>(tensor->shape.size())});
        out.insert(out.end(), tensor->shape.begin(), tensor->shape.end());
        return true;
    }
    switch (arg.type_index()) {
    case ffi::TypeIndex::kTVMFFINone: add({Nothing}); return true;
    case ffi::TypeIndex::kTVMFFIBool: add({Boolean, arg.cast<bool>()}); return true;
    case ffi::TypeIndex::kTVMFFIInt: add({Integer, arg.cast<std::int64_t>()}); return true;
    case ffi::TypeIndex::kTVMFFIFloat: add({Real, std::bit_cast<std::int64_t>(arg.cast<double>())}); return true;
    default: return false;
    }
}

bool find_addresses(session::SharedDevice& device, RecordedCalls::Arguments args, std::vector<std::uint64_t>& out) {
    out.clear();
    for (const ffi::AnyView& arg : args) {
        std::uint64_t address = 0;
        if (const DLTensor* tensor = shared(arg)) {
            if (tensor->device.device_id != device.ordinal())
                return false;
            follow_caller(device);
            address = reinterpret_cast<std::uintptr_t>(tensor->data) + tensor->byte_offset;
        } else if (lang::Tensor* tensor = own(arg)) {
            const Result<std::uint64_t> placed = device.place_for_kernel(*tensor);
            if (!placed)
                return false;
            address = placed.value();
        }
        out.push_back(address);
    }
    return true;
}

// A number that came in a tensor was read from it: the launches do not follow from the shapes.
bool took_tensors_as_such(const KeptCall& call, RecordedCalls::Arguments args) {
    for (std::size_t i = 0; i < args.size(); ++i) {
        const auto* taken = std::get_if<lang::TensorRef>(&call.args[i].value);
        if ((shared(args[i]) || own(args[i])) != (taken && *taken))
            return false;
    }
    return true;
}

} // namespace

bool RecordedCalls::describe(Arguments args, Key& out) {
    out.clear();
    return std::ranges::all_of(args, [&](const ffi::AnyView& each) { return describe_one(each, out); });
}

bool RecordedCalls::launch(PythonSession& session, Arguments args) {
    if (m_entries.empty() || session.engine().is_watched() || !describe(args, m_key))
        return false;
    const auto found = m_entries.find(m_key);
    if (found == m_entries.end() || !found->second.record)
        return false;
    session::SharedDevice& device = *session.device();
    if (!find_addresses(device, args, m_addresses))
        return false;
    if (const Result<void> launched = device.launch(*found->second.record, m_addresses); !launched)
        throw ffi::Error("RuntimeError", launched.error().message, "");
    return true;
}

void RecordedCalls::make(PythonSession& session, Arguments args, const std::function<void()>& call) {
    Key key;
    // The device is asked for last: a call on the CPU does not open it.
    const bool has_tensors =
        std::ranges::any_of(args, [](const ffi::AnyView& each) { return shared(each) || own(each); });
    if (!has_tensors || !describe(args, key) || session.engine().is_watched() || !session.device())
        return call();
    std::vector<KeptCall> made;
    struct Listening { // while the call is made
        session::ScriptEngine& engine;
        ~Listening() { engine.before_call = nullptr; }
    };
    {
        const Listening listening{session.engine()};
        session.engine().before_call = [&](const KeptCall& each) { made.push_back(each); };
        call();
    }
    if (made.size() == 1 && made[0].args.size() == args.size() && made[0].symbols.empty())
        add(key, made[0], args);
}

void RecordedCalls::add(const Key& key, const KeptCall& call, Arguments args) {
    if (m_entries.size() >= most_entries)
        m_entries.clear();
    Entry& entry = m_entries[key];
    if (++entry.times == times_before && took_tensors_as_such(call, args))
        entry.record = call.module->executor.record(*call.module, {call.function, call.args, call.site, call.symbols});
}

} // namespace hidet::python
