// SPDX-License-Identifier: Apache-2.0
#include "app/python/lib/value_object.h"

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include "app/python/lib/shared_tensor.h"
#include "lang/base/text.h"
#include "lang/host/arguments.h"

namespace hidet::python {

namespace ffi = tvm::ffi;
using lang::Value;
using lang::ValueKind;

ffi::Any to_python(const std::shared_ptr<PythonSession>& session, const Value& value) {
    switch (value.kind()) {
    case ValueKind::None: return ffi::Any(nullptr);
    case ValueKind::Bool: return ffi::Any(value.as_bool());
    case ValueKind::Int: return ffi::Any(value.as_int());
    case ValueKind::Float: return ffi::Any(value.as_double());
    case ValueKind::Str: return ffi::Any(ffi::String(value.as_str()));
    default: return ffi::Any(ffi::ObjectRef(ffi::make_object<ValueObject>(session, value)));
    }
}

namespace {

// What a callable of Python's says when it is asked for -1 positional arguments.
std::vector<std::string> names_of_parameters(const ffi::Function& function) {
    std::vector<std::string> out;
    for (const ffi::String& each : function(-1).cast<ffi::Array<ffi::String>>())
        out.emplace_back(each);
    return out;
}

// A callable of Python's, called with positional arguments; what it raises goes through us as it is.
Value calling(const std::shared_ptr<PythonSession>& session, ffi::Function function) {
    return Value::native("<Python function>", [weak = std::weak_ptr(session), function = std::move(function)](
                                                  lang::Evaluator&, lang::Args& args, Span) {
        if (args.asks_signature)
            throw lang::SignatureAnswer{"<Python function>", names_of_parameters(function)};
        const std::shared_ptr<PythonSession> alive = weak.lock();
        std::vector<ffi::Any> given;
        for (const Value& value : args.positional)
            given.push_back(to_python(alive, value));
        for (const auto& [name, value] : args.keywords) { // behind a marker: name, value, ...
            given.push_back(ffi::Any(ffi::String(name)));
            given.push_back(to_python(alive, value));
        }
        std::vector<ffi::AnyView> views{ffi::AnyView(static_cast<std::int64_t>(args.positional.size()))};
        views.insert(views.end(), given.begin(), given.end());
        ffi::Any result;
        function.CallPacked(views.data(), static_cast<std::int32_t>(views.size()), &result);
        return from_python(alive, result);
    });
}

} // namespace

Value from_python(const std::shared_ptr<PythonSession>& session, const ffi::AnyView& value) {
    if (value == nullptr)
        return Value();
    if (auto boolean = value.as<bool>(); boolean && value.type_index() == ffi::TypeIndex::kTVMFFIBool)
        return Value::boolean(*boolean);
    if (value.type_index() == ffi::TypeIndex::kTVMFFIInt)
        return Value::integer(value.cast<std::int64_t>());
    if (value.type_index() == ffi::TypeIndex::kTVMFFIFloat)
        return Value::real(value.cast<double>());
    if (auto text = value.try_cast<ffi::String>())
        return Value::str(std::string(*text));
    if (const auto* object = value.as<ValueObject>())
        return object->value;
    if (value.type_index() == ffi::TypeIndex::kTVMFFITensor)
        return Value::tensor(shared_tensor(*session, value.cast<ffi::Tensor>()));
    if (auto function = value.try_cast<ffi::Function>())
        return calling(session, *function);
    throw ffi::Error("TypeError", cat("a value of type '", value.GetTypeKey(), "' is none that hidet knows"), "");
}

} // namespace hidet::python
