// SPDX-License-Identifier: Apache-2.0
// Elements of tensors: who wrote one last, and standing before the next who does.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "app/dap/adapter.h"
#include "app/dap/arguments.h"
#include "lang/base/text.h"

namespace hidet::dap {

using session::DebugExpression;
using session::DebugView;

namespace {

constexpr std::string_view of_block = " of block ";

} // namespace

int Adapter::thread_of(const Json& arguments) const {
    const int own = m_thread / lanes_of_warp;
    const int warp = std::max<int>(0, static_cast<int>(number_at(arguments, "frameId", own + 1)) - 1);
    return warp == own ? m_thread : warp * lanes_of_warp;
}

Adapter::Element Adapter::look_up(const DebugExpression& expression, const DebugExpression::Element& element,
                                  int thread) {
    Element out;
    look([&](const DebugView& view) {
        const Result<vm::WatchedBytes> found = view.bytes_of(element, expression, thread);
        if (!found)
            throw Refusal(found.error().message);
        out = {view.element_name(element, expression, thread).value(), "", found.value()};
        if (!out.bytes.address)
            out.block = view.block_text();
    });
    return out;
}

// "tile[3] of block (1, 0, 0)" is an element of shared memory of a block that need not run now.
void Adapter::move_to_block(Element& element, std::string_view text) {
    if (element.bytes.address)
        throw Refusal(cat("'", element.name, "' is in global memory, and of no block"));
    look([&](const DebugView& view) {
        const Result<std::int64_t> number = view.block_number(text);
        if (!number)
            throw Refusal(number.error().message);
        element.is_elsewhere = number.value() != element.bytes.block;
        element.bytes.block = number.value();
        element.block = trimmed(text);
    });
}

Adapter::Element Adapter::look_up(const std::string& text, int thread) {
    const std::size_t end = std::min(text.find(of_block), text.size());
    const Result<DebugExpression> expression = DebugExpression::parse(text.substr(0, end));
    if (!expression)
        throw Refusal(expression.error().message);
    const std::optional<DebugExpression::Element> element = expression.value().element();
    if (!element)
        throw Refusal("an element of a tensor is wanted, as in tile[3, 4]");
    Element out = look_up(expression.value(), *element, thread);
    if (end < text.size())
        move_to_block(out, std::string_view(text).substr(end + of_block.size()));
    return out;
}

// For a client to name it by later.
std::string Adapter::id_of(const Element& element) {
    std::string id = element.block.empty() ? element.name : cat(element.name, of_block, element.block);
    m_elements[id] = element;
    return id;
}

Json Adapter::writer_of(const Element& element) {
    const std::optional<vm::Writer> writer = session().last_writer(element.bytes);
    Json out;
    look([&](const DebugView& view) {
        out["text"] = view.writer_text(writer);
        if (writer) {
            out["line"] = view.line_of(*writer);
            out["position"] = writer->position;
        }
    });
    return out;
}

// With where it stands now, so that a client knows the way.
Json Adapter::last_writer(const Json& arguments) {
    const int thread = thread_of(arguments);
    const Element element = look_up(text_at(arguments, "expression"), thread);
    Json out = writer_of(element);
    out["dataId"] = id_of(element);
    look([&](const DebugView& view) {
        out["positionNow"] = view.position();
        if (element.is_elsewhere)
            return; // what it has there is not known here
        const auto number = view.value(DebugExpression::parse(element.name).value(), thread);
        out["value"] = number ? session::text_of(number.value()) : "not written";
    });
    return out;
}

Json Adapter::data_breakpoint_info(const Json& arguments) {
    const auto reference = static_cast<int>(number_at(arguments, "variablesReference", 0));
    std::string text = text_at(arguments, "name");
    if (reference > 0) {
        if (!m_shown.knows(reference))
            throw Refusal("'variablesReference' stands for nothing since the launch went on");
        look([&](const DebugView& view) { text = m_shown.element(view, reference, text); });
    }
    try {
        const std::string id = id_of(look_up(text, thread_of(arguments)));
        return {{"dataId", id}, {"description", id}, {"accessTypes", Json::array({"write"})}, {"canPersist", false}};
    } catch (const Refusal& error) {
        return {{"dataId", nullptr}, {"description", error.what()}};
    }
}

Json Adapter::set_data_breakpoints(const Json& arguments) {
    std::vector<session::DebugWatch> watches;
    std::vector<session::PlacedBreakpoint> placed;
    for (const Json& each : arguments.value("breakpoints", Json::array())) {
        const auto known = m_elements.find(text_at(each, "dataId"));
        const std::string access = text_at(each, "accessType", "write");
        session::PlacedBreakpoint row{.id = ++m_breakpoints};
        if (known == m_elements.end())
            row.message = "nothing is known by this 'dataId'";
        else if (access != "write")
            row.message = cat("writes alone are watched, no access of the type '", access, "'");
        else
            watches.push_back(
                {row.id, known->first, known->second.bytes, text_at(each, "condition"), text_at(each, "hitCondition")});
        placed.push_back(std::move(row));
    }
    for (session::PlacedBreakpoint& watched : session().set_watches(watches))
        *std::ranges::find(placed, watched.id, &session::PlacedBreakpoint::id) = watched;
    Json out = Json::array();
    for (const session::PlacedBreakpoint& each : placed)
        out.push_back(json_of(each));
    return {{"breakpoints", out}};
}

} // namespace hidet::dap
