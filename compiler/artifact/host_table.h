// SPDX-License-Identifier: Apache-2.0
// What the program that runs generated C++ gives to it. The generated text declares it itself: what follows the marker is
// also a piece of its prelude (compiler/codegen/text/snippets.h), so it is C++ without headers.
#pragma once

//> hidet_host
// What the program that runs these functions gives to them.
struct hidet_host {
    void* self;
    // Calls body for parts of 0 .. count - 1, together all of it, on so many threads (0: as many as there are).
    void (*parallel_for)(void* self, long long count, int threads,
                         void (*body)(void* context, long long begin, long long end), void* context);
    void (*print)(void* self, const char* text, long long length);
    // Both remember why the call fails; the caller then leaves. `check` is a row of the source's checks, -1 of none.
    void (*fail)(void* self, int check, const char* message);
    void (*outside)(void* self, int check, int rank, const long long* index, const long long* shape);
    void* (*workspace)(void* self, long long bytes, int zeroed);
    long long (*symbol)(void* self, const char* name);
};
