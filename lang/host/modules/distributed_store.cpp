// SPDX-License-Identifier: Apache-2.0
// FileStore and TCPStore.
#include "lang/host/modules/distributed.h"

#include <cmath>

#include "lang/host/evaluator.h"

namespace hidet::lang {

namespace {

constexpr double store_seconds = 300;
constexpr int most_port = 65535;

Value set_key(StoreObject& self, Evaluator&, const Arguments& a, Span span) {
    a.want_known();
    if (self.store())
        exchanged(self.store()->set(a.str(0), a.str(1)), span);
    return {};
}

Value get_key(StoreObject& self, Evaluator& evaluator, const Arguments& a, Span span) {
    const std::string& key = a.str(0);
    return self.store() ? evaluator.new_str(exchanged(self.store()->get(key), span)) : Value::unknown();
}

Value add_to_key(StoreObject& self, Evaluator&, const Arguments& a, Span span) {
    const std::string& key = a.str(0);
    const std::int64_t amount = a.integer(1);
    return self.store() ? Value::integer(exchanged(self.store()->add(key, amount), span)) : Value::unknown();
}

Value wait_for_keys(StoreObject& self, Evaluator& evaluator, const Arguments& a, Span span) {
    for (const Value& key : evaluator.iterate(a[0], a.span(0))) {
        if (!key.is(ValueKind::Str))
            a.wrong_type(0, "a list of texts");
        if (self.store())
            exchanged(self.store()->get(key.as_str()), span);
    }
    return {};
}

Value set_timeout(StoreObject& self, Evaluator&, const Arguments& a, Span) {
    const double seconds = seconds_argument(a, 0, store_seconds);
    if (self.store())
        self.store()->set_timeout(seconds);
    return {};
}

Communication& communication_of(Evaluator& evaluator, Span span) {
    Communication* communication = evaluator.options().communication.get();
    if (!communication)
        fail(DiagId::GroupFailed, span, "this evaluation exchanges nothing with other processes");
    return *communication;
}

Value file_store(Evaluator& evaluator, const Arguments& a, Span span) {
    const std::string& path = a.str(0);
    if (evaluator.in_preview())
        return new_extension<StoreObject>(Ref<SharedStore>());
    return new_extension<StoreObject>(exchanged(communication_of(evaluator, span).open_file(path), span));
}

Value tcp_store(Evaluator& evaluator, const Arguments& a, Span span) {
    StoreAddress address{a.str(0), 0, a.boolean(3, false), seconds_argument(a, 4, store_seconds)};
    const std::int64_t port = a.integer(1);
    if (port < 0 || port > most_port)
        fail(DiagId::BadValue, a.span(1), cat("a port is a number from 0 to ", most_port));
    address.port = static_cast<int>(port);
    if (evaluator.in_preview())
        return new_extension<StoreObject>(Ref<SharedStore>());
    return new_extension<StoreObject>(exchanged(communication_of(evaluator, span).open_address(address), span));
}

} // namespace

void fail_exchange(const Error& error, Span span) {
    if (error.code == "cancelled")
        fail(DiagId::Cancelled, span);
    fail(error.code == "argument" ? DiagId::BadValue : DiagId::GroupFailed, span, error.message);
}

double seconds_argument(const Arguments& a, std::size_t i, double otherwise) {
    const double seconds = a.has(i) ? a.real(i) : otherwise;
    if (!(seconds > 0) || !std::isfinite(seconds))
        fail(DiagId::BadValue, a.span(i), "a timeout is a number of seconds above 0");
    return seconds;
}

std::span<const Member<StoreObject>> StoreObject::members() {
    static constexpr Member<StoreObject> rows[] = {
        {"set", {"key", "value"}, set_key},        {"get", {"key"}, get_key},
        {"add", {"key", "amount"}, add_to_key},    {"wait", {"keys"}, wait_for_keys},
        {"set_timeout", {"timeout"}, set_timeout},
    };
    return rows;
}

void add_stores(HostModule& module) {
    module.function("FileStore", {"filename", "world_size="}, file_store);
    module.function("TCPStore", {"host_name", "port", "world_size=", "is_master=", "timeout="}, tcp_store);
}

} // namespace hidet::lang
