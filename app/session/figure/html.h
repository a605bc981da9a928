// SPDX-License-Identifier: Apache-2.0
// Tables and scenes as HTML, and the page that they stand in.
#pragma once

#include <string>
#include <string_view>

#include "app/session/figure/scene.h"
#include "app/session/figure/table.h"

namespace hidet::session {

std::string html_of(const Table& table);

class Page {
public:
    explicit Page(std::string title) : m_title(std::move(title)) {}
    void heading(std::string_view text);
    void subheading(std::string_view text);
    void paragraph(std::string_view text, std::string_view style = {});
    void table(const Table& table) { m_body += html_of(table); }
    void figure(const Scene& scene, std::string_view style = {});
    void folded(std::string_view summary, std::string_view text); // a text that opens when it is asked for
    void raw(std::string_view html) { m_body += html; }
    std::string text() const;

private:
    const std::string m_title;
    std::string m_body;
};

} // namespace hidet::session
