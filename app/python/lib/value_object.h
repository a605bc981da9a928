// SPDX-License-Identifier: Apache-2.0
// A value of ours as an object of tvm-ffi, which CPython holds; and what crosses the border as itself: None, bool, int, float, str.
#pragma once

#include <memory>
#include <tvm/ffi/any.h>
#include <tvm/ffi/object.h>

#include "app/python/lib/recorded_calls.h"

namespace hidet::python {

struct SessionObject : tvm::ffi::Object {
    SessionObject(std::string_view target, PythonSession::Print print)
        : session(std::make_shared<PythonSession>(target, std::move(print))) {}
    const std::shared_ptr<PythonSession> session;
    TVM_FFI_DECLARE_OBJECT_INFO_FINAL("hidet.Session", SessionObject, tvm::ffi::Object);
};

struct ValueObject : tvm::ffi::Object {
    ValueObject(std::shared_ptr<PythonSession> session, lang::Value value)
        : session(std::move(session)), value(std::move(value)) {}
    ~ValueObject() { // by the garbage collector, on any thread
        const std::lock_guard lock(session->mutex());
        calls.reset();
        value = lang::Value();
    }
    const std::shared_ptr<PythonSession> session;
    lang::Value value;
    mutable std::unique_ptr<RecordedCalls> calls; // of a built module or a function of one; null: none yet
    TVM_FFI_DECLARE_OBJECT_INFO_FINAL("hidet.Value", ValueObject, tvm::ffi::Object);
};

using SessionRef = tvm::ffi::ObjectPtr<SessionObject>;

tvm::ffi::Any to_python(const std::shared_ptr<PythonSession>& session, const lang::Value& value);
// Of what is a value already, or crosses as itself; a function becomes a native one that calls it. Throws a TypeError.
lang::Value from_python(const std::shared_ptr<PythonSession>& session, const tvm::ffi::AnyView& value);

} // namespace hidet::python
