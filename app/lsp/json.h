// SPDX-License-Identifier: Apache-2.0
// The protocol's messages are JSON values; its library is seen in sources alone.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>

namespace hidet::lsp {

using Json = nlohmann::json;

// The protocol's numbers.
enum class ErrorCode : int {
    ParseError = -32700,
    InvalidRequest = -32600,
    MethodNotFound = -32601,
    InvalidParams = -32602,
    InternalError = -32603,
    ServerNotInitialized = -32002,
    RequestFailed = -32803,
    ContentModified = -32801,
    RequestCancelled = -32800,
};

// What a request ends with instead of an answer.
struct RequestError : std::runtime_error {
    RequestError(ErrorCode code, const std::string& message) : std::runtime_error(message), code(code) {}
    ErrorCode code;
};

} // namespace hidet::lsp
