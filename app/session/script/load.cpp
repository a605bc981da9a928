// SPDX-License-Identifier: Apache-2.0
#include "app/session/script/load.h"

#include "lang/parse/parser.h"

namespace hidet::session {

lang::ast::Module parse_script(Work& work, const Source& source, const std::vector<std::string>& calls) {
    work.enter("reading the script");
    Work::Clock clock(work, "parse");
    std::string text = source.text;
    for (const std::string& call : calls)
        text += (text.empty() || text.back() == '\n' ? "# studio: " : "\n# studio: ") + call + "\n";
    return lang::parse(work.sources, work.sources.add(source.name, std::move(text)), work.sink);
}

} // namespace hidet::session
