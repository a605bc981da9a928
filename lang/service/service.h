// SPDX-License-Identifier: Apache-2.0
// What an editor asks about one script, also while its text is broken: completion, hover, definition, outline, colours.
//
// A document is what is known of one text (analysis.h says how it comes about). It never changes, so any thread may ask it
// anything at any time. Questions are pure and answer in well under a frame. Nothing throws. Offsets are bytes of the UTF-8
// text as it was given; those beyond its end are its end. A text that cannot be read at all (too big, NUL bytes, no UTF-8)
// gives empty answers. Only plain values come out: no syntax tree, no IR.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lang/service/edit_text.h"
#include "lang/service/fuzzy.h"
#include "lang/service/range.h"
#include "lang/service/taken.h"

namespace hidet::lang::service {

class Document;
using DocumentRef = std::shared_ptr<const Document>;
using Buffers =
    std::map<std::string, std::string>; // texts that an editor holds, by path: they come before what is on disk

// Reads the names of the language off the evaluator, once in a process (50 ms): the first document waits for it, so a front
// end asks for it at its start.
void learn_language();
const std::string& text_of(const Document& document);
bool imports_files(const Document& document);      // of its own folder
std::string text_of_file(const std::string& path); // of a script on disk; "" where there is none
// What a text says alone, without values: of files that nobody evaluates.
DocumentRef read_text(std::string text, std::string path);
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
    Snippet,
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
    std::vector<Edit> edits; // elsewhere in the text: the import of the name
    bool is_snippet =
        false; // `insert` has places to fill in: "${1:name}", "$0"; '$', '}' and '\\' that are none are escaped
};
struct Completions {
    Range replaced;                // the word at the offset, up to its end
    std::vector<Completion> items; // best first
};
// What the front end can do with a candidate.
struct CompletionOptions {
    bool unimported = false; // it applies the edits, so names that an import would bring are offered too
    bool snippets = false;
    const TakenNames* taken = nullptr; // what its user took before; null: not known
};
Completions completions(const Document& document, std::uint32_t offset, const CompletionOptions& options = {});

// What would bind the unknown name at an offset, or the name that a module there does not have and another one has: a change
// each, the likeliest first.
struct ImportFix {
    std::string title; // "import 'syncthreads' from 'hidet.lang.cuda'"
    Edit edit;
};
std::vector<ImportFix> import_fixes(const Document& document, std::uint32_t offset);
// A use of a name that neither the text nor the language binds.
struct UnknownName {
    Range range;
    std::size_t statement = 0; // of the text's own, by its place
};
// In the order of the text. Empty where they cannot be known, as behind `from elsewhere import *`.
std::vector<UnknownName> unknown_names(const Document& document);
// All of them that a module of the language has, in one change. Nothing: there are fewer than two such names.
std::optional<ImportFix> import_all(const Document& document);
// The modules that have the name, the likeliest first.
std::vector<std::string> modules_with(std::string_view name);
// A name of some module that is spelt nearly so; "" where there is none.
std::string known_name_like(std::string_view name);

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
// The name at an offset that could be renamed, or why none can.
struct Renamable {
    Range range;
    std::string name;
    std::string refusal;
};
Renamable renamable(const Document& document, std::uint32_t offset);

// The same in all scripts of the document's folder, which import each other: a function, a class, a variable of a module or
// a parameter of such a function is one thing wherever it is used.
struct FileUses {
    std::string path;
    std::vector<Use> uses;
    Range definition; // among them; empty: it is in another file
};
std::vector<FileUses> references_in_folder(const Document& document, std::uint32_t offset, const Buffers& buffers);
struct FolderRenaming {
    std::map<std::string, std::vector<Edit>> edits; // by path
    std::string refusal;
};
FolderRenaming rename_in_folder(const Document& document, std::uint32_t offset, std::string_view new_name,
                                const Buffers& buffers);

// The files that the imports of a text name.
struct ImportLink {
    Range range; // of the module's name
    std::string path;
};
std::vector<ImportLink> import_links(const Document& document);

// ---- formatting and hints ---------------------------------------------------------------------------------------------

// Blanks, empty lines and indentation as Python's style guide has them: no token changes, and a second time nothing does.
// Lines are neither broken nor joined.
struct Formatting {
    std::vector<Edit> edits; // in the order of the text
    std::string refusal;     // why not: a text with mistakes in its syntax stays as it is
};
Formatting format(const Document& document);
Formatting format_range(const Document& document, Range range); // the lines that it touches

// What an editor writes between the words of a text: types and shapes, and values that are known before a kernel runs.
struct InlayHint {
    enum class Kind : std::uint8_t { Type, Value } kind{};
    std::uint32_t offset = 0;
    std::string label; // ": shared f32[64, 8]", "= 4096"
};
std::vector<InlayHint> inlay_hints(const Document& document); // in the order of the text

// What a selection grows to, step by step: from the word at the offset to the whole text, each holding the one before.
std::vector<Range> selection_ranges(const Document& document, std::uint32_t offset);

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
