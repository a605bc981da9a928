// SPDX-License-Identifier: Apache-2.0
// What C++ for the CPU asks of the program that runs it (hidet_host is in artifact/host_table.h), and what headers would
// declare.

//> parallel_for: hidet_host
// body(i) for each i of 0 .. count - 1, by so many threads (0: as many as there are).
template <class Body>
inline void parallel_for(const hidet_host* host, long long count, int threads, const Body& body) {
    auto part = [](void* context, long long begin, long long end) {
        const Body& run = *static_cast<const Body*>(context);
        for (long long i = begin; i < end; ++i)
            run(i);
    };
    host->parallel_for(host->self, count, threads, part, const_cast<void*>(static_cast<const void*>(&body)));
}

//> print: hidet_host
template <class... Values>
inline void print(const hidet_host* host, const char* format, Values... values) {
    char text[4096];
    long long length = __builtin_snprintf(text, sizeof text, format, values...), last = sizeof text - 1;
    host->print(host->self, text, length < 0 ? 0 : length < last ? length : last);
}

//> INFINITY
#define INFINITY __builtin_inff()

//> NAN
#define NAN __builtin_nanf("")
