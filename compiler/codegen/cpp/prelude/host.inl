// SPDX-License-Identifier: Apache-2.0
// What C++ for the CPU asks of the program that runs it, and what headers would declare.

//> hidet_host
// What the program that runs this gives to it; the same text as in runtime/cpu/host_table.h.
struct hidet_host {
    void* self;
    void (*parallel_for)(void* self, long long count, int threads, void (*body)(void* context, long long begin, long long end), void* context);
    void (*print)(void* self, const char* text, long long length);
    void (*fail)(void* self, const char* message);
    void* (*workspace)(void* self, long long bytes, int zeroed);
    long long (*symbol)(void* self, const char* name);
};

//> INFINITY
#define INFINITY __builtin_inff()

//> NAN
#define NAN __builtin_nanf("")
