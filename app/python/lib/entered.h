// SPDX-License-Identifier: Apache-2.0
// How every exported function enters the library: with the session to itself, and errors as exceptions of Python.
#pragma once

#include <tvm/ffi/error.h>

#include "app/python/lib/value_object.h"
#include "lang/host/data_model.h"

namespace hidet::python {

using SessionPtr = std::shared_ptr<PythonSession>;

// Others see what the host has written to tensors on a device that they share.
inline void show_written(PythonSession& session) {
    const Result<void> shown = session.upload_written();
    if (!shown)
        throw tvm::ffi::Error("RuntimeError", shown.error().message, "");
}

// Runs the body with the session to itself. What it throws, and what was reported meanwhile, is raised.
template <class Body>
auto entered(const SessionPtr& session, Body body) {
    const std::lock_guard lock(session->mutex());
    lang::DataModel model(session->evaluator(), session->site());
    std::exception_ptr error;
    try {
        if constexpr (std::is_void_v<decltype(body(model))>) {
            body(model);
            model.throw_reported();
            return show_written(*session);
        } else {
            auto result = body(model);
            model.throw_reported();
            show_written(*session);
            return result;
        }
    } catch (const tvm::ffi::Error&) { // of Python's own code below us
        session->work().sink.take();
        throw;
    } catch (...) {
        error = std::current_exception();
    }
    const lang::PythonError found = model.error_of(error);
    session->work().sink.take();
    throw tvm::ffi::Error(found.type, found.text, "");
}

inline const ValueObject& object_of(const tvm::ffi::AnyView& value) {
    const auto* object = value.as<ValueObject>();
    if (!object)
        throw tvm::ffi::Error("TypeError", "a value of hidet is wanted", "");
    return *object;
}

inline SessionPtr session_of(const tvm::ffi::AnyView& any) {
    if (const auto* session = any.as<SessionObject>())
        return session->session;
    return object_of(any).session;
}

// Enters with a value, and with a session or that of a value.
template <class Body>
auto with_value(const tvm::ffi::AnyView& object, Body body) {
    const ValueObject& of = object_of(object);
    return entered(of.session, [&](lang::DataModel& model) { return body(of, model); });
}
template <class Body>
auto with_session(const tvm::ffi::AnyView& any, Body body) {
    const SessionPtr in = session_of(any);
    return entered(in, [&](lang::DataModel& model) { return body(in, model); });
}

} // namespace hidet::python
