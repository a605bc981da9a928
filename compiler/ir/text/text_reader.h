// SPDX-License-Identifier: Apache-2.0
// The recursive descent behind parse_text.h. Names are unique in a function, so one table a function resolves them; what
// is in scope where is the verifier's business.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "compiler/ir/func.h"
#include "compiler/ir/names.h"
#include "compiler/ir/text/text_lexer.h"

namespace hidet::ir {

// The tokens, from the one that is read next on.
class TextTokens {
protected:
    TextTokens(std::vector<TextToken> tokens, DiagnosticSink& sink) : m_tokens(std::move(tokens)), m_sink(sink) {}

    using What = TextToken::What;

    const TextToken& token(std::size_t ahead = 0) const;
    bool is_mark(std::string_view mark, std::size_t ahead = 0) const;
    bool is_word(std::string_view word, std::size_t ahead = 0) const;
    bool take_mark(std::string_view mark);
    bool take_word(std::string_view word);
    void need_mark(std::string_view mark);
    void need_word(std::string_view word);
    void need(What what, const char* description);
    std::string name(const char* description); // of a function: a name or a string
    std::string string();
    std::int64_t integer();
    [[noreturn]] void expected(std::string_view what) const;
    [[noreturn]] void invalid(std::size_t begin, std::string message) const;
    [[noreturn]] void invalid_type(std::size_t begin, const char* complaint, const TypeRef& type) const;
    void check_depth(int depth, std::size_t begin) const;
    Span span_from(std::size_t begin) const;
    template <class T>
    Ref<const T> placed(std::size_t begin, Ref<const T> node) const;

    std::vector<TextToken> m_tokens;
    DiagnosticSink& m_sink;
    std::size_t m_at = 0;
};

// Types and expressions, each of which has the other.
class ExprReader : public TextTokens {
protected:
    using TextTokens::TextTokens;

    // Counts the nesting, so that no text overflows the stack.
    class Nested {
    public:
        explicit Nested(ExprReader& reader);
        ~Nested() { --m_reader.m_nesting; }
        Nested(const Nested&) = delete;

    private:
        ExprReader& m_reader;
    };

    // ---- types, layouts, mappings ----
    TypeRef type();
    TypeRef unchecked_type();
    TypeRef type_atom();
    TypeRef parenthesised_type();
    Ref<const TensorType> tensor_type();
    Ref<const TensorType> tensor_suffix(TypeRef element, std::size_t begin);
    TypeRef array_type();
    TypeRef opaque_type();
    std::vector<std::int64_t> integers();
    ExprVec bracketed();
    ExprVec extents(ExprVec dims, std::size_t begin) const;
    LayoutRef layout();
    LayoutRef unchecked_layout();
    LayoutRef layout_pair(std::string_view kind);
    LayoutRef strides_layout();
    LayoutRef swizzle_layout(std::size_t begin);
    MappingRef mapping();
    MappingRef primary_mapping();
    MappingRef primitive_mapping();
    void check_permutation(const std::vector<std::int64_t>& values, std::size_t rank, std::size_t begin) const;

    // ---- expressions ----
    ExprRef expr(Precedence at_least = Precedence::Or);
    ExprRef operand(Precedence at_least);
    ExprRef prefix(std::size_t begin);
    ExprRef postfix(ExprRef base, std::size_t begin);
    ExprRef element_or_slice(ExprRef base, std::size_t begin);
    ExprRef primary();
    ExprRef literal();
    ExprRef parenthesised();
    ExprRef select_expr(ExprRef value, std::size_t begin);
    ExprRef let_expr(std::size_t begin);
    ExprRef word_expr();
    ExprRef word_call();
    ExprRef conversion(bool is_cast, std::size_t begin);
    ExprRef symbol_expr(std::size_t begin);
    ExprRef general_call(std::size_t begin);
    ExprRef plain_call(std::string_view word, std::size_t begin);
    ExprRef builtin_or_intrinsic(std::size_t begin);
    ExprRef intrinsic(IntrinsicId id, std::size_t begin);
    ExprRef call(std::string callee, TypeRef type, std::size_t begin);
    ExprRef typed_constant(DType dtype, std::size_t begin);
    ExprRef general_constant(std::size_t begin);
    ConstantValue number(bool as_float32);
    ExprVec arguments(); // up to the closing parenthesis
    ExprRef variable();
    VarRef definition(); // name: type
    VarRef define(std::string_view name, TypeRef type, Span span);
    VarRef define(std::string_view name, std::string hint, TypeRef type, Span span);

    int m_nesting = 0;
    std::intptr_t m_stack_base = 0;
    std::unordered_map<std::string, VarRef> m_globals;
    std::unordered_map<std::string, VarRef> m_locals;
    std::unordered_map<std::string, TypeRef> m_returns;
    NameTable m_names;
    std::unordered_set<std::string_view> m_temporaries; // of the function, in the text
};

class TextReader : ExprReader {
public:
    TextReader(std::vector<TextToken> tokens, DiagnosticSink& sink) : ExprReader(std::move(tokens), sink) {}
    ModuleRef module(); // null after errors

private:
    StmtRef block();
    StmtRef block_body();
    StmtRef statement();
    StmtRef declaration(bool is_let);
    StmtRef loop();
    VarRef loop_var();
    StmtRef if_else();
    StmtRef assembly();
    StmtRef launch();
    StmtRef expression_statement();
    void end_line();
    struct Header {
        std::string name;
        VarVec params;
        TypeRef ret;
    };
    Header header();
    VarVec params();
    FunctionRef function();
    void attribute(Function& function);
    void collect_return_types();
    void skip_to_next_item();
    void read_temporaries(std::string_view comment);

    std::unordered_map<std::string_view, std::unordered_set<std::string_view>> m_temporaries_of; // by function
};

template <class T>
Ref<const T> TextTokens::placed(std::size_t begin, Ref<const T> node) const {
    set_origin(node, {span_from(begin), 0});
    return node;
}

} // namespace hidet::ir
