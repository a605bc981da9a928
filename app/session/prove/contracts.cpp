// SPDX-License-Identifier: Apache-2.0
#include "app/session/prove/contracts.h"

#include <algorithm>
#include <charconv>

#include "app/session/work/work.h"
#include "compiler/prove/prove.h"
#include "lang/base/ascii.h"
#include "lang/base/quantity.h"
#include "lang/base/ranges.h"

namespace hidet::session {

namespace {

struct Figure {
    std::optional<double> value;
    std::string unknown; // why there is none
};

struct ContractRow {
    const char* name;
    const char* sentence;
    Figure (*figure_of)(const KernelExplained& kernel);
};

Figure counted(const KernelExplained& kernel, double value) {
    if (kernel.is_all_counted)
        return {value, ""};
    for (const AccessView& view : kernel.accesses)
        if (view.counted != "exact")
            return {std::nullopt, cat("line ", view.place.line, " is not counted exactly: ", view.why)};
    return {value, ""};
}

Figure figure_of_registers(const KernelExplained& kernel) {
    if (!kernel.cost->facts)
        return {std::nullopt, kernel.cost->facts_unknown};
    return {kernel.cost->facts->registers, ""};
}

Figure figure_of_spills(const KernelExplained& kernel) {
    if (!kernel.cost->facts)
        return {std::nullopt, kernel.cost->facts_unknown};
    return {kernel.cost->facts->spill_store_bytes + kernel.cost->facts->spill_load_bytes, ""};
}

Figure figure_of_conflicts(const KernelExplained& kernel) {
    return counted(kernel, kernel.conflicts);
}

Figure figure_of_coalesced(const KernelExplained& kernel) {
    return counted(kernel, kernel.coalesced);
}

Figure figure_of_of_roof(const KernelExplained& kernel) {
    if (!kernel.cost->roofline.unknown.empty())
        return {std::nullopt, kernel.cost->roofline.unknown};
    return {kernel.cost->of_roof, kernel.cost->of_roof ? "" : "the roof is not known"};
}

Figure figure_of_occupancy(const KernelExplained& kernel) {
    if (!kernel.cost->facts)
        return {std::nullopt, kernel.cost->facts_unknown};
    return {kernel.cost->occupancy->fraction, ""};
}

constexpr ContractRow contract_rows[] = {
#define HIDET_CONTRACT(name, sentence, what) {#name, sentence, figure_of_##name},
#include "app/session/prove/contracts.def"
};

const std::vector<std::string>& claim_names() {
    static const std::vector<std::string> names =
        transformed<std::string>(compiler::prove::all_claims, compiler::prove::claim_name);
    return names;
}

bool is_claim_name(const std::string& name) {
    return std::ranges::find(claim_names(), name) != claim_names().end();
}

// "registers <= 128", "proved races"; a mistake is reported where it is.
class ClauseReader {
public:
    ClauseReader(DiagnosticSink& sink, FileId file, std::string_view text, std::uint32_t begin)
        : m_sink(sink), m_file(file), m_text(text), m_begin(begin) {}

    // `of_claims`: the clause before it is about a claim, and "bounds" continues it.
    std::optional<ContractClause> read(bool of_claims) {
        blanks();
        const std::size_t begin = m_at;
        const std::string name = word();
        if (name.empty())
            return bad(begin, "the name of a figure is wanted");
        if (name == "proved" || (of_claims && is_claim_name(name)))
            return claim(begin, name);
        const auto* row = std::ranges::find(contract_rows, name, [](const ContractRow& each) { return each.name; });
        if (row == std::end(contract_rows))
            return unknown(begin, name, "figure", transformed<std::string>(contract_rows, &ContractRow::name));
        ContractClause out;
        out.figure = static_cast<int>(row - contract_rows);
        blanks();
        const std::size_t sign = m_at;
        out.comparison = while_([](char c) { return c == '<' || c == '>' || c == '='; });
        static constexpr std::string_view signs[] = {"<=", "<", "==", ">=", ">"};
        if (std::ranges::find(signs, out.comparison) == std::end(signs))
            return bad(sign, "'<=', '<', '==', '>=' or '>' is wanted behind '" + name + "'");
        blanks();
        const std::size_t number = m_at;
        const std::string_view digits = while_([](char c) { return is_word(c) || c == '.' || c == '-' || c == '+'; });
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out.bound);
        if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
            return bad(number, "a number is wanted");
        return ended(std::move(out), begin);
    }

    bool is_claim() const { return m_is_claim; } // also of one that could not be read

private:
    std::optional<ContractClause> claim(std::size_t begin, const std::string& name) {
        ContractClause out;
        out.claim = name;
        m_is_claim = true;
        if (name == "proved") {
            blanks();
            const std::size_t at = m_at;
            out.claim = word();
            if (out.claim.empty())
                return bad(at, cat("a claim is wanted behind 'proved': ", join(claim_names(), ", ")));
            if (!is_claim_name(out.claim))
                return unknown(at, out.claim, "claim", claim_names());
        }
        return ended(std::move(out), begin);
    }
    std::optional<ContractClause> ended(ContractClause out, std::size_t begin) {
        out.span = span(begin, m_at);
        out.text = m_text.substr(begin, m_at - begin);
        blanks();
        if (m_at < m_text.size())
            return bad(m_at, "',' or the end of the line is wanted");
        return out;
    }
    std::string word() {
        return std::string(while_([](char c) { return is_word(c); }));
    }
    template <class F>
    std::string_view while_(F&& fits) {
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && fits(m_text[m_at]))
            ++m_at;
        return m_text.substr(begin, m_at - begin);
    }
    void blanks() {
        while_([](char c) { return c == ' ' || c == '\t' || c == '\r'; });
    }
    Span span(std::size_t begin, std::size_t end) const {
        return {m_file, m_begin + static_cast<std::uint32_t>(begin), m_begin + static_cast<std::uint32_t>(end)};
    }
    std::optional<ContractClause> bad(std::size_t at, const std::string& why) {
        const Span where = span(at, std::max(m_at, std::min(at + 1, m_text.size())));
        return refused(Diagnostic::make(DiagId::BadStudioComment, where, why));
    }
    std::optional<ContractClause> unknown(std::size_t at, const std::string& name, const char* kind,
                                          const std::vector<std::string>& names) {
        return refused(Diagnostic::make(DiagId::BadStudioComment, span(at, m_at),
                                        cat("there is no ", kind, " '", name, "'; there are ", join(names, ", ")))
                           .suggest(span(at, m_at), name, names));
    }
    std::optional<ContractClause> refused(Diagnostic diagnostic) {
        diagnostic.severity = Severity::Error; // what nobody checks must not look kept
        m_sink.report(std::move(diagnostic));
        return std::nullopt;
    }

    DiagnosticSink& m_sink;
    const FileId m_file;
    const std::string_view m_text;
    const std::uint32_t m_begin;
    std::size_t m_at = 0;
    bool m_is_claim = false;
};

bool holds(double figure, const std::string& comparison, double bound) {
    return comparison == "<="   ? figure <= bound
           : comparison == "<"  ? figure < bound
           : comparison == ">=" ? figure >= bound
           : comparison == ">"  ? figure > bound
                                : figure == bound;
}

void judge_figure(ContractView& out, const ContractClause& clause, const KernelExplained& kernel) {
    const ContractRow& row = contract_rows[clause.figure];
    out.name = row.name;
    const Figure figure = row.figure_of(kernel);
    out.figure = figure.value;
    if (!figure.value) {
        out.sentence = cat("of '", kernel.name, "': ", figure.unknown);
        return;
    }
    out.state = holds(*figure.value, clause.comparison, clause.bound) ? ContractState::Kept : ContractState::Broken;
    out.sentence = row.sentence;
    out.sentence.replace(out.sentence.find("{}"), 2, digits_text(*figure.value, 6));
    out.sentence.replace(out.sentence.find("{k}"), 3, cat("'", kernel.name, "'"));
}

// The worst doubt of a claim that is not proved.
std::string doubt_text(const ProvedKernel& proof, const std::string& claim, const std::string& verdict) {
    const auto found = std::ranges::find_if(
        proof.doubts, [&](const DoubtView& each) { return each.claim == claim && each.verdict == verdict; });
    return found == proof.doubts.end() ? cat(claim, ": ", verdict)
                                       : cat("line ", found->place.line, ": ", found->sentence);
}

// "'x' points to at least n elements and 'y' points to at least n elements".
std::string conditions_text(const ProvedKernel& proof) {
    std::string out;
    for (const DoubtView& doubt : proof.doubts)
        if (doubt.verdict == "proved if")
            out += cat(out.empty() ? "" : " and ", doubt.sentence);
    return out;
}

void judge_claim(ContractView& out, const KernelExplained& kernel) {
    out.sentence = cat("of '", kernel.name, "': ");
    if (!kernel.proof) {
        out.sentence += kernel.unproved.empty() ? "proofs are made by 'hidetc check --contracts' and 'hidetc prove'"
                                                : kernel.unproved;
        return;
    }
    const ProvedKernel* const proof = &*kernel.proof;
    out.verdict = std::ranges::find(proof->claims, out.name, &ClaimView::claim)->verdict;
    if (out.verdict == "proved") {
        out.state = ContractState::Kept;
        out.sentence += "proved for all sizes";
        return;
    }
    out.state = out.verdict == "refuted" ? ContractState::Broken : ContractState::Unknown;
    out.sentence += out.verdict == "proved if" ? cat("proved if ", conditions_text(*proof))
                                               : doubt_text(*proof, out.name, out.verdict);
}

// The line behind the last one of the kernel's body: the first that is indented no deeper than its 'def'.
int end_of_kernel(const SourceFile& file, int def) {
    const auto indent = [](std::string_view line) { return std::min(line.find_first_not_of(" \t"), line.size()); };
    for (int number = def + 1; number <= file.line_count(); ++number) {
        const std::string_view line = file.line(number);
        const bool closes = trimmed(line).starts_with(')');
        if (!trimmed(line).empty() && !closes && indent(line) <= indent(file.line(def)))
            return number;
    }
    return file.line_count() + 1;
}

} // namespace

const char* contract_state_name(ContractState state) {
    switch (state) {
    case ContractState::Kept: return "kept";
    case ContractState::Broken: return "broken";
    case ContractState::Unknown: return "not known";
    }
    return "";
}

bool ContractResult::are_all_kept() const {
    return std::ranges::all_of(contracts, [](const ContractView& view) { return view.state == ContractState::Kept; });
}

std::optional<std::size_t> contract_in(std::string_view line) {
    const std::size_t hash = line.find_first_not_of(" \t");
    if (hash == std::string_view::npos || line[hash] != '#')
        return std::nullopt;
    for (const std::string_view word : {std::string_view("studio:"), std::string_view("expect ")}) {
        const std::size_t at = line.find_first_not_of("# \t", word == "expect " ? line.find(':') + 1 : hash);
        if (at == std::string_view::npos || !line.substr(at).starts_with(word))
            return std::nullopt;
        if (word == "expect ")
            return at + word.size();
    }
    return std::nullopt;
}

std::vector<ContractClause> read_contracts(const SourceMap& sources, FileId file, DiagnosticSink& sink) {
    const std::string& text = sources.file(file).text();
    std::vector<ContractClause> out;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = std::string_view(text).substr(begin, end - begin);
        const std::optional<std::size_t> at = contract_in(line);
        bool of_claims = false;
        for (std::size_t from = at.value_or(line.size() + 1); from <= line.size();) {
            const std::size_t comma = std::min(line.find(',', from), line.size());
            ClauseReader reader(sink, file, line.substr(from, comma - from), static_cast<std::uint32_t>(begin + from));
            if (std::optional<ContractClause> clause = reader.read(of_claims))
                out.push_back(std::move(*clause));
            of_claims = reader.is_claim();
            from = comma + 1;
        }
        begin = end + 1;
    }
    return out;
}

std::vector<ContractView> judged_contracts(const std::vector<ContractClause>& clauses, const SourceMap& sources,
                                           const std::vector<KernelExplained>& kernels) {
    std::vector<ContractView> out;
    const auto judged = [&](const ContractClause& clause, const KernelExplained& kernel) {
        ContractView view;
        view.place = place_of(clause.span, sources);
        view.text = clause.text;
        view.kernel = kernel.name;
        view.name = clause.claim;
        if (clause.claim.empty())
            judge_figure(view, clause, kernel);
        else
            judge_claim(view, kernel);
        return view;
    };
    for (const ContractClause& clause : clauses) {
        const SourceFile& file = sources.file(clause.span.file);
        const int line = place_of(clause.span, sources).line;
        const auto is_in = [&](const KernelExplained& kernel) {
            return kernel.place.file == file.name() && kernel.place.line < line &&
                   line < end_of_kernel(file, kernel.place.line);
        };
        const bool is_in_one = std::ranges::any_of(kernels, is_in);
        for (const KernelExplained& kernel : kernels)
            if (!is_in_one || is_in(kernel))
                out.push_back(judged(clause, kernel));
    }
    return out;
}

ContractResult check_contracts(const ExplainRequest& request) {
    ContractResult out;
    Work work = work_for("check the contracts of " + request.preview.source.name, request.preview.cancelled);
    guarded(work, [&] {
        const FileId file = work.sources.add(request.preview.source.name, request.preview.source.text);
        const std::vector<ContractClause> clauses = read_contracts(work.sources, file, work.sink);
        ExplainRequest asked = request;
        asked.fixes = false;
        asked.proofs = std::ranges::any_of(clauses, [](const ContractClause& clause) { return !clause.claim.empty(); });
        ExplainResult explained = explain(asked);
        out.modules_built = explained.modules_built;
        work.status = explained.status;
        out.diagnostics = explained.diagnostics;
        out.stages = explained.stages;
        out.contracts = judged_contracts(clauses, work.sources, explained.kernels);
    });
    Outcome read;
    finish(work, read);
    out.status = read.status;
    out.diagnostics.insert(out.diagnostics.begin(), read.diagnostics.begin(), read.diagnostics.end());
    return out;
}

} // namespace hidet::session
