// SPDX-License-Identifier: Apache-2.0
// HTTP by libcurl, which is loaded when somebody first asks. Certificates are checked, against CURL_CA_BUNDLE or SSL_CERT_FILE
// where one is set; nothing is redirected.
#pragma once

#include <string>

#include "lang/base/result.h"

namespace hidet::toolchain {

struct HttpRequest {
    std::string method = "GET";
    std::string url;
    std::string token = {}; // a bearer's; empty: none
    std::string body = {};
    std::string type = {}; // of the body: "application/json"
    double to_connect = 5; // seconds
    double seconds = 20;   // for all of it
    std::size_t most_bytes = 64U << 20;
};

struct HttpAnswer {
    long status = 0;
    std::string body;
};

// From any thread; each keeps its connections. "no-line": there is no answer, and why.
Result<HttpAnswer> http(const HttpRequest& request);

} // namespace hidet::toolchain
