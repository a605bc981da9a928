// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/http.h"

#include <cstdlib>
#include <memory>

#include "lang/base/text.h"
#include "runtime/toolchain/library.h"
#include "runtime/toolchain/locate.h"

namespace hidet::toolchain {

namespace {

// libcurl's binary interface, as much of it as is called: its numbers stay as they are.
enum class Option : int {
    WriteData = 10001,
    Url = 10002,
    ErrorBuffer = 10010,
    PostFields = 10015,
    UserAgent = 10018,
    HttpHeader = 10023,
    CustomRequest = 10036,
    CaInfo = 10065,
    WriteFunction = 20011,
    PostFieldSize = 30120,
    NoSignal = 99,
    TimeoutMs = 155,
    ConnectTimeoutMs = 156,
    Protocols = 181
};
constexpr int response_code = 0x200002;
constexpr long http_and_https = 3;
constexpr long default_functions = 3;
constexpr std::size_t error_bytes = 256;
constexpr int write_failed = 23;

struct Curl {
    int (*init_all)(long flags) = nullptr;
    void* (*init)() = nullptr;
    void (*reset)(void* handle) = nullptr;
    void (*cleanup)(void* handle) = nullptr;
    int (*set)(void* handle, Option option, ...) = nullptr;
    int (*perform)(void* handle) = nullptr;
    int (*get)(void* handle, int what, ...) = nullptr;
    const char* (*error_text)(int error) = nullptr;
    void* (*append)(void* list, const char* line) = nullptr;
    void (*free_list)(void* list) = nullptr;

    bool bind(const Library& library) {
        return library.bind(init_all, "curl_global_init") && library.bind(init, "curl_easy_init") &&
               library.bind(reset, "curl_easy_reset") && library.bind(cleanup, "curl_easy_cleanup") &&
               library.bind(set, "curl_easy_setopt") && library.bind(perform, "curl_easy_perform") &&
               library.bind(get, "curl_easy_getinfo") && library.bind(error_text, "curl_easy_strerror") &&
               library.bind(append, "curl_slist_append") && library.bind(free_list, "curl_slist_free_all") &&
               init_all(default_functions) == 0;
    }
};

Result<Curl> load() {
    for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {
        const Result<Library> library = Library::open(name);
        if (Curl curl; library && curl.bind(library.value()))
            return curl;
    }
    return Error{"no-line", "there is no libcurl.so.4 here; the package libcurl4 has it"};
}

const Result<Curl>& loaded() {
    static const Result<Curl> curl = load();
    return curl;
}

struct Received {
    std::string body;
    std::size_t most_bytes;
};

std::size_t receive(const char* bytes, std::size_t size, std::size_t count, void* into) {
    auto& received = *static_cast<Received*>(into);
    if (received.body.size() + size * count > received.most_bytes)
        return 0;
    received.body.append(bytes, size * count);
    return size * count;
}

long milliseconds(double seconds) {
    return static_cast<long>(seconds * 1000);
}

// One call with a handle whose connections stay open.
class Call {
public:
    Call(const Curl& curl, void* handle) : m_curl(curl), m_handle(handle) { m_curl.reset(m_handle); }
    ~Call() { m_curl.free_list(m_headers); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    Result<HttpAnswer> run(const HttpRequest& request) {
        char words[error_bytes] = "";
        Received received{{}, request.most_bytes};
        set_up(request);
        m_curl.set(m_handle, Option::ErrorBuffer, words);
        m_curl.set(m_handle, Option::WriteFunction, &receive);
        m_curl.set(m_handle, Option::WriteData, &received);
        if (const int error = m_curl.perform(m_handle); error != 0)
            return Error{"no-line", error == write_failed ? "it sends without an end"
                                    : words[0]            ? words
                                                          : m_curl.error_text(error)};
        HttpAnswer answer{0, std::move(received.body)};
        m_curl.get(m_handle, response_code, &answer.status);
        return answer;
    }

private:
    void set_up(const HttpRequest& request) {
        m_curl.set(m_handle, Option::Url, request.url.c_str());
        m_curl.set(m_handle, Option::Protocols, http_and_https);
        m_curl.set(m_handle, Option::NoSignal, 1L);
        m_curl.set(m_handle, Option::UserAgent, "hidet");
        m_curl.set(m_handle, Option::ConnectTimeoutMs, milliseconds(request.to_connect));
        m_curl.set(m_handle, Option::TimeoutMs, milliseconds(request.seconds));
        for (const char* variable : {"SSL_CERT_FILE", "CURL_CA_BUNDLE"})
            if (const std::string file = environment_variables()(variable); !file.empty())
                m_curl.set(m_handle, Option::CaInfo, file.c_str());
        if (request.method != "GET") {
            m_curl.set(m_handle, Option::PostFieldSize, static_cast<long long>(request.body.size()));
            m_curl.set(m_handle, Option::PostFields, request.body.c_str());
            m_curl.set(m_handle, Option::CustomRequest, request.method.c_str());
        }
        add_header("Expect:"); // a server that does not know it would keep us waiting
        if (!request.token.empty())
            add_header(cat("Authorization: Bearer ", request.token));
        if (!request.type.empty())
            add_header(cat("Content-Type: ", request.type));
        m_curl.set(m_handle, Option::HttpHeader, m_headers);
    }
    void add_header(const std::string& line) { m_headers = m_curl.append(m_headers, line.c_str()); }

    const Curl& m_curl;
    void* const m_handle;
    void* m_headers = nullptr;
};

} // namespace

Result<HttpAnswer> http(const HttpRequest& request) {
    if (!loaded())
        return loaded().error();
    if (request.token.find_first_of("\r\n") != std::string::npos)
        return Error{"no-line", "the token has an end of line in it"};
    const Curl& curl = loaded().value();
    thread_local const std::unique_ptr<void, void (*)(void*)> handle(curl.init(), curl.cleanup);
    return Call(curl, handle.get()).run(request);
}

} // namespace hidet::toolchain
