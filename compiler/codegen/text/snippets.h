// SPDX-License-Identifier: Apache-2.0
// The snippets of a prelude: short declarations of the target's language that generated text is printed with when it needs
// them. They are files of that language, embedded at build time (compiler/embed.cmake). In such a file a line
//
//   //> NAME: NEEDED NEEDED
//
// begins a snippet, which ends at the next such line; what stands before the first one is for readers of the file only.
// A snippet `NAME(a, b)` has parameters: $a and $b in its text and in its needs are replaced by what it is asked for with,
// as in `NAME(add, float)`; a need `?$b` counts where there is such a snippet. Snippets are printed in the order of the table,
// what a snippet needs before it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/codegen/text/dialect.h"

namespace hidet::compiler {

// "name(a, b)" -> "name", {"a", "b"}.
struct SnippetName {
    explicit SnippetName(std::string_view text);
    std::string name;
    std::vector<std::string> arguments;
};

class SnippetTable {
public:
    // What writes the text of a snippet that no template can: from its arguments.
    using Writer = std::function<std::string(const std::vector<std::string>&)>;

    // `device` replaces the word $device: what makes a function run where the kernel does.
    explicit SnippetTable(std::string device) : m_device(std::move(device)) {}
    void add_file(std::string_view text);
    void add_written(std::string name, std::vector<std::string> needs, Writer writer);

    std::string print(const Snippets& snippets) const;
    // What a snippet declares at the outermost level.
    std::vector<std::string> declared_names(std::string_view snippet) const;
    std::vector<std::string> names() const; // of the rows, parameters as declared: "name(a, b)"

private:
    struct Row {
        std::string name;
        std::vector<std::string> parameters;
        std::vector<std::string> needs;
        std::string text;
        Writer writer;
    };
    const Row& find(const SnippetName& snippet) const;
    std::string expand(const Row& row, const SnippetName& snippet, std::string_view text) const;
    struct Printed {
        Snippets snippets;
        std::string text;
        bool ends_in_line = false;
    };
    void print_one(const std::string& snippet, Printed& out) const;

    std::string m_device;
    std::vector<Row> m_rows;
    std::map<std::string, std::size_t, std::less<>> m_index;
};

} // namespace hidet::compiler
