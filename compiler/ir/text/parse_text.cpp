// SPDX-License-Identifier: Apache-2.0
// Reading statements, functions and modules.
#include "compiler/ir/text/parse_text.h"

#include "compiler/ir/module_options.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/structure.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/text/text_reader.h"
#include "lang/base/transformed.h"

namespace hidet::ir {

// ---- statements -------------------------------------------------------------------------------------------------------------

void TextReader::end_line() {
    need(What::Newline, "the end of the line");
}

StmtRef TextReader::block() {
    need_mark(":");
    end_line();
    need(What::Indent, "an indented line");
    return block_body();
}

StmtRef TextReader::block_body() {
    Nested nested(*this);
    StmtVec stmts;
    while (token().what != What::Dedent && token().what != What::End) {
        std::size_t begin = m_at;
        if (take_word("pass")) {
            end_line();
            continue;
        }
        stmts.push_back(placed(begin, statement()));
        check_depth(stmts.back()->depth, begin);
    }
    need(What::Dedent, "the end of the block");
    return make_seq(std::move(stmts));
}

StmtRef TextReader::statement() {
    if (token().what == What::Comment) {
        StmtRef comment = make_comment(std::string(token().text));
        ++m_at;
        end_line();
        return comment;
    }
    if (take_word("for"))
        return loop();
    if (take_word("if"))
        return if_else();
    if (take_word("while")) {
        ExprRef condition = expr();
        return make_while(std::move(condition), block());
    }
    StmtRef simple;
    if (take_word("declare") || take_word("let")) {
        simple = declaration(m_tokens[m_at - 1].text == "let");
    } else if (take_word("return")) {
        simple = make_return(token().what == What::Newline ? nullptr : expr());
    } else if (take_word("break")) {
        simple = make_break();
    } else if (take_word("continue")) {
        simple = make_continue();
    } else if (take_word("assert")) {
        ExprRef condition = expr();
        need_mark(",");
        simple = make_assert(std::move(condition), string());
    } else if (take_word("asm")) {
        simple = assembly();
    } else if (take_word("launch")) {
        simple = launch();
    } else if (is_word("comment") && is_mark("(", 1)) {
        m_at += 2;
        simple = make_comment(string());
        need_mark(")");
    } else {
        simple = expression_statement();
    }
    end_line();
    return simple;
}

StmtRef TextReader::declaration(bool is_let) {
    DeclareStmt node;
    node.is_let = is_let;
    for (int scope = 1; scope <= static_cast<int>(Scope::Host); ++scope)
        if (is_word(scope_name(static_cast<Scope>(scope))) && token(1).what == What::Name) {
            node.scope = static_cast<Scope>(scope);
            ++m_at;
            break;
        }
    if (is_word("static") && token(1).what == What::Name) {
        node.is_static = true;
        ++m_at;
    }
    node.var = definition();
    if (take_mark("="))
        node.init = expr();
    return make<DeclareStmt>(std::move(node));
}

VarRef TextReader::loop_var() {
    need(What::Name, "a name");
    std::size_t at = m_at - 1;
    TypeRef type = take_mark(":") ? this->type() : data_type(DType::I32);
    return define(m_tokens[at].text, std::move(type), m_tokens[at].span);
}

StmtRef TextReader::loop() {
    VarVec vars;
    if (take_mark("("))
        need_mark(")");
    else
        do
            vars.push_back(loop_var());
        while (take_mark(","));
    need_word("in");
    if (vars.size() == 1 && is_word("range") && is_mark("(", 1)) {
        m_at += 2;
        ExprRef extent = expr();
        LoopAttr attr;
        if (take_mark(",")) {
            need_word("attr"), need_mark("=");
            auto parsed = parse_loop_attrs(string());
            if (!parsed || parsed->size() != 1)
                invalid(m_at - 1, "expected one loop attribute such as 'u+'");
            attr = parsed->front();
        }
        need_mark(")");
        StmtRef body = block();
        return make_for(std::move(vars.front()), std::move(extent), attr, std::move(body));
    }
    MappingRef tasks = mapping();
    need_word("on");
    ExprRef worker = expr();
    StmtRef body = block();
    return make_for_mapping(std::move(vars), std::move(tasks), std::move(worker), std::move(body));
}

StmtRef TextReader::if_else() {
    Nested nested(*this);
    ExprRef condition = expr();
    StmtRef then_body = block();
    StmtRef else_body;
    std::size_t begin = m_at;
    if (take_word("elif"))
        else_body = placed(begin, if_else());
    else if (take_word("else"))
        else_body = block();
    check_depth(else_body ? else_body->depth : 0, begin);
    return make_if(std::move(condition), std::move(then_body), std::move(else_body));
}

StmtRef TextReader::assembly() {
    AsmStmt node;
    need_mark("(");
    node.text = string();
    auto operands = [&](std::string_view word, std::vector<std::string>& labels, ExprVec& values) {
        need_mark(","), need_word(word), need_mark("="), need_mark("[");
        while (!take_mark("]")) {
            if (!labels.empty())
                need_mark(",");
            labels.push_back(string());
        }
        need_mark("(");
        values = arguments();
    };
    operands("outputs", node.output_labels, node.outputs);
    operands("inputs", node.input_labels, node.inputs);
    while (take_mark(",")) {
        bool is_volatile = take_word("volatile");
        node.is_volatile = node.is_volatile || is_volatile;
        if (!is_volatile) {
            need_word("memory");
            node.memory_fence = true;
        }
    }
    need_mark(")");
    return make<AsmStmt>(std::move(node));
}

StmtRef TextReader::launch() {
    LaunchStmt node;
    node.kernel = name("the name of a kernel");
    need_mark("(");
    node.args = arguments();
    auto dims = [&](std::string_view word) {
        need_mark(","), need_word(word), need_mark("=");
        return bracketed();
    };
    node.grid = dims("grid");
    node.cluster = dims("cluster");
    node.block = dims("block");
    if (take_mark(",")) {
        need_word("dynamic_smem_bytes"), need_mark("=");
        node.dynamic_smem_bytes = expr();
    }
    return make<LaunchStmt>(std::move(node));
}

StmtRef TextReader::expression_statement() {
    std::size_t begin = m_at;
    ExprRef value = expr();
    if (!take_mark("="))
        return make_evaluate(std::move(value));
    ExprRef right = expr();
    if (const auto* place = as<TensorElement>(value))
        return make_store(place->base, place->indices, std::move(right), place->is_protected);
    if (value->kind != Kind::Var)
        invalid(begin, "only variables and elements can be assigned");
    return make_assign(cast<Var>(value), std::move(right));
}

// ---- functions ----------------------------------------------------------------------------------------------------------------

// The type of a parameter may mention one that comes later, so types that fail for an unknown name are tried again.
VarVec TextReader::params() {
    struct Pending {
        std::size_t name, type;
        std::string hint;
        VarRef var;
    };
    std::vector<Pending> pending;
    need_mark("(");
    while (!is_mark(")")) {
        if (!pending.empty())
            need_mark(",");
        need(What::Name, "a parameter");
        need_mark(":");
        pending.push_back({m_at - 2, m_at, m_names.hint_behind(m_tokens[m_at - 2].text), nullptr});
        for (int open = 0; open > 0 || (!is_mark(",") && !is_mark(")")); ++m_at) {
            if (token().what == What::Newline || token().what == What::End)
                expected("')'");
            open += is_mark("(") || is_mark("[");
            open -= is_mark(")") || is_mark("]");
        }
    }
    std::size_t end = m_at;
    constexpr int rounds = 16;
    for (int round = 0; round < rounds; ++round) {
        bool is_done = true;
        for (Pending& param : pending) {
            if (param.var)
                continue;
            m_at = param.type;
            try {
                TypeRef type = this->type();
                if (!is_mark(",") && !is_mark(")"))
                    expected("','");
                const TextToken& name = m_tokens[param.name];
                param.var = define(name.text, param.hint, std::move(type), name.span);
            } catch (const DiagnosticError& error) {
                if (error.diagnostic.id != DiagId::IrUnknownName || round + 1 == rounds || pending.size() > 1000)
                    throw;
                is_done = false;
            }
        }
        if (is_done)
            break;
    }
    m_at = end;
    need_mark(")");
    return transformed(pending, [&](Pending& param) { return std::move(param.var); });
}

TextReader::Header TextReader::header() {
    need_word("def");
    m_locals.clear();
    m_names.begin_function();
    Header header;
    header.name = name("the name of a function");
    header.params = params();
    header.ret = take_mark("->") ? type() : void_type();
    return header;
}

void TextReader::attribute(Function& function) {
    std::size_t begin = m_at;
    std::string path;
    do {
        need(What::Name, "the name of an attribute");
        (path += path.empty() ? "" : ".") += m_tokens[m_at - 1].text;
    } while (take_mark("."));
    need_mark("=");
    auto list = [&] {
        ExprVec items;
        do
            items.push_back(expr());
        while (take_mark(","));
        return items;
    };
    if (path == "func_kind") {
        auto kind = find_func_kind(string());
        if (!kind)
            invalid(begin, "no such kind of function");
        function.func_kind = *kind;
    } else if (path == "label") {
        function.label = string();
    } else if (path == "cuda.grid_dim") {
        function.grid_dim = list();
    } else if (path == "cuda.cluster_dim") {
        function.cluster_dim = list();
    } else if (path == "cuda.block_dim") {
        function.block_dim = list();
    } else if (path == "cuda.dynamic_smem_bytes") {
        function.dynamic_smem_bytes = expr();
    } else if (path == "cuda.min_blocks") {
        function.min_blocks = integer();
    } else if (path == "cuda.wide_access") {
        function.wide_access = true;
        if (!take_word("True"))
            invalid(begin, "it is True, or not there");
    } else {
        fail(DiagId::IrUnknownName, span_from(begin), path);
    }
    end_line();
}

FunctionRef TextReader::function() {
    std::size_t begin = m_at;
    Header head = header();
    m_temporaries = m_temporaries_of[head.name];
    Function node;
    node.name = std::move(head.name);
    node.params = std::move(head.params);
    node.ret = std::move(head.ret);
    need_mark(":");
    end_line();
    need(What::Indent, "an indented line");
    while (is_word("attrs") && is_mark(".", 1)) {
        m_at += 2;
        attribute(node);
    }
    node.body = block_body();
    FunctionRef made = make<Function>(std::move(node));
    made->origin = {span_from(begin), 0};
    return made;
}

// ---- modules ------------------------------------------------------------------------------------------------------------------

// Calls may come before the function that they call.
void TextReader::collect_return_types() {
    std::size_t start = m_at;
    for (; token().what != What::End; ++m_at) {
        if (!is_word("def") || token().block != 0)
            continue;
        std::size_t at = m_at;
        try {
            Header head = header();
            m_returns.emplace(head.name, head.ret);
        } catch (const DiagnosticError&) { // reported when the function itself is read
        }
        m_at = at;
    }
    m_at = start;
}

// "temporaries: f: i_base, x; g: y"
void TextReader::read_temporaries(std::string_view comment) {
    if (!comment.starts_with(temporaries_mark))
        return;
    comment.remove_prefix(temporaries_mark.size());
    const auto take = [&](std::string_view& from, std::string_view mark) {
        const std::size_t at = std::min(from.find(mark), from.size());
        const std::string_view taken = from.substr(0, at);
        from.remove_prefix(std::min(at + mark.size(), from.size()));
        return taken;
    };
    while (!comment.empty()) {
        std::string_view names = take(comment, "; ");
        auto& known = m_temporaries_of[take(names, ": ")];
        while (!names.empty())
            known.insert(take(names, ", "));
    }
}

void TextReader::skip_to_next_item() {
    while (token().what != What::End) {
        ++m_at;
        bool starts_line = m_tokens[m_at - 1].what == What::Newline || m_tokens[m_at - 1].what == What::Dedent;
        if (starts_line && token().block == 0 && token().what == What::Name)
            return;
    }
}

ModuleRef TextReader::module() {
    Module node;
    bool has_failed = false;
    auto recover = [&](auto&& read) {
        int nesting = m_nesting;
        try {
            read();
        } catch (const DiagnosticError& error) {
            m_sink.report(error.diagnostic);
            has_failed = true;
            m_nesting = nesting;
            skip_to_next_item();
        }
    };
    for (; token().what == What::Comment; m_at += 2)
        read_temporaries(token().text);
    const Span head = token().span;
    recover([&] {
        need_word("module");
        node.name = string();
        need_word("level");
        auto level = find_level(token().text);
        if (!level)
            expected("a level");
        ++m_at;
        node.level = *level;
        if (take_word("options")) {
            node.options = string();
            if (!read_module_options(node.options)) {
                --m_at;
                expected("options of code");
            }
        }
        end_line();
    });
    auto global = [&](bool is_extern) {
        std::size_t at = m_at;
        std::string text = is_extern ? name("the name of a function") : std::string(token().text);
        if (!is_extern)
            need(What::Name, "a name");
        need_mark(":");
        TypeRef type = this->type();
        end_line();
        const std::string hint = m_names.global_hint_behind(text);
        VarRef var = make_var(is_extern ? text : hint, type);
        var->origin = {m_tokens[at].span, 0};
        if (!m_globals.emplace(text, var).second)
            fail(DiagId::IrDuplicate, m_tokens[at].span, text);
        if (const auto* function = as<FuncType>(type); function && is_extern)
            m_returns.emplace(text, function->ret);
        (is_extern ? node.externs : node.globals).push_back(std::move(var));
    };
    bool has_return_types = false;
    while (token().what != What::End) {
        if (token().what == What::Comment) {
            m_at += 2;
            continue;
        }
        recover([&] {
            if (take_word("global"))
                return global(false);
            if (take_word("extern"))
                return global(true);
            if (!is_word("def"))
                expected("'def', 'global' or 'extern'");
            if (!has_return_types)
                collect_return_types();
            has_return_types = true;
            node.functions.push_back(function());
        });
    }
    if (has_failed)
        return nullptr;
    ModuleRef made = make<Module>(std::move(node));
    made->origin = {head, 0};
    return made;
}

ModuleRef parse_module(const SourceMap& sources, FileId file, DiagnosticSink& sink) {
    try {
        return TextReader(lex_ir_text(sources, file), sink).module();
    } catch (const DiagnosticError& error) {
        sink.report(error.diagnostic);
        return nullptr;
    }
}

} // namespace hidet::ir
