// SPDX-License-Identifier: Apache-2.0
// What an editor asks about one script, also while its text is broken: completion, hover, definition, outline, colours.
//
// A document is what is known of one text (analysis.h says how it comes about). It never changes, so any thread may ask it
// anything at any time. Questions are pure and answer in well under a frame. Nothing throws. Offsets are bytes of the UTF-8
// text as it was given; those beyond its end are its end. A text that cannot be read at all (too big, NUL bytes, no UTF-8)
// gives empty answers. Only plain values come out: no syntax tree, no IR.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/service/edit_text.h"
#include "lang/service/fuzzy.h"
#include "lang/service/range.h"

namespace hidet::lang::service {

class Document;
using DocumentRef = std::shared_ptr<const Document>;

// Reads the names of the language off the evaluator, once in a process (50 ms): the first document waits for it, so a front
// end asks for it at its start.
void learn_language();
const std::string& text_of(const Document& document);
// How many of its questions, reading the text included, ended by a bug of ours and so without an answer.
int failures_of(const Document& document);

// ---- completion -----------------------------------------------------------------------------------------------------

enum class ItemKind : std::uint8_t {
    Keyword,
    Variable, // of host code, or a scalar of a script function
    Parameter,
    LoopVariable,
    Function, // host code
    Kernel,   // a @hidet.script function
    Class,
    Module,
    Type,      // data types and Python's types
    Primitive, // what kernels call: cast, syncthreads, spatial, ...
    Builtin,   // what Python brings: len, print, ...
    Attribute, // attrs.cuda.grid_dim, a tensor's shape
    Method,
    Tensor,   // a variable that is a tensor
    Argument, // name= of the callee
    Constant,
    Exception,
};
const char* item_kind_name(ItemKind kind); // "loop variable"

struct Completion {
    std::string label;
    std::string insert; // replaces the range
    ItemKind kind{};
    std::string detail;         // signature or type
    std::string documentation;  // one or a few sentences
    std::vector<Range> matches; // bytes of the label that the typed word matched
    int score = 0;
};
struct Completions {
    Range replaced;                // the word at the offset, up to its end
    std::vector<Completion> items; // best first
};
Completions completions(const Document& document, std::uint32_t offset);

// ---- hover and signatures -------------------------------------------------------------------------------------------

// What is under the pointer. Empty texts do not apply.
struct Card {
    Range range;
    ItemKind kind{};
    std::string title; // "a: f32[1024, 1024]", "def matmul(m, n, k)"
    std::string type;
    std::string shape;  // "[1024, 1024]"
    std::string layout; // "row_major", "swizzle(...)"
    std::string scope;  // "global", "shared", "register"
    std::string bytes;  // "4194304 bytes (4 MiB)"
    std::string value;  // of host code: "128", "32, 64" where it has several
    std::string documentation;
    bool known() const { return !title.empty(); }
};
Card hover(const Document& document, std::uint32_t offset);

struct SignatureParameter {
    Range range; // in the label
    std::string name;
};
struct SignatureHelp {
    std::string label; // "cp_async(dst, src, cp_size, src_size=...)"; empty: the offset is in no call
    std::vector<SignatureParameter> parameters;
    int active = -1; // index of a parameter, or -1
    std::string documentation;
    Range callee; // in the text
};
SignatureHelp signature_help(const Document& document, std::uint32_t offset);

// ---- names ----------------------------------------------------------------------------------------------------------

struct Location {
    std::string file; // empty: the document itself; else the path of a sibling
    Range range;
    bool known() const { return range.end > 0; }
};
Location definition(const Document& document, std::uint32_t offset);

struct Use {
    Range range;
    bool is_write = false; // binds or assigns
};
// Everything that means the same binding, the definition first, then in the order of the text.
std::vector<Use> references(const Document& document, std::uint32_t offset);

struct Renaming {
    std::vector<Edit> edits; // in the order of the text
    std::string refusal;     // why not; then there are no edits
};
Renaming rename(const Document& document, std::uint32_t offset, std::string_view new_name);

// ---- structure ------------------------------------------------------------------------------------------------------

enum class OutlineKind : std::uint8_t { Imports, Function, Kernel, Class, Variable, Tensor, Loop, With };
const char* outline_kind_name(OutlineKind kind);

struct OutlineNode {
    OutlineKind kind{};
    std::string name;   // "smem_a", "for i, j in ..."
    std::string detail; // "shared f32[2, 64, 8]", "cuda_kernel"
    Range range;        // all of it
    Range name_range;   // where to put the caret
    std::vector<OutlineNode> children;
};
std::vector<OutlineNode> outline(const Document& document);

// From the outermost to the innermost function, class, loop or `with` that holds the offset.
struct Crumb {
    OutlineKind kind{};
    std::string name;
    Range range;
    Range name_range;
};
std::vector<Crumb> breadcrumb(const Document& document, std::uint32_t offset);

enum class FoldKind : std::uint8_t { Block, Imports, Comment, Bracket, String };
struct FoldingRange {
    FoldKind kind{};
    int first_line = 1; // 1-based; stays visible
    int last_line = 1;
    Range range;
};
std::vector<FoldingRange> folding_ranges(const Document& document); // sorted by first line, longest first

enum class SemanticKind : std::uint8_t {
    HostValue,   // a value of host code
    ScriptValue, // exists when the kernel runs
    Parameter,
    Function,
    Kernel,
    Type,
    Module,
    Primitive,
    Builtin,
    GlobalTensor,
    SharedTensor,
    RegisterTensor,
    Attribute,
    Decorator,
    Constant, // a host value that is folded into the kernel where it is used
    Unresolved,
};
const char* semantic_kind_name(SemanticKind kind);
struct SemanticToken {
    Range range;
    SemanticKind kind{};
};
std::vector<SemanticToken> semantic_tokens(const Document& document); // sorted, they do not overlap

} // namespace hidet::lang::service
