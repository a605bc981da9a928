// SPDX-License-Identifier: Apache-2.0
#include "app/session/script/load.h"

#include "lang/host/script_text.h"
#include "lang/parse/parser.h"

namespace hidet::session {

lang::ast::Module parse_script(Work& work, const Source& source, const std::vector<std::string>& calls) {
    work.enter("reading the script");
    Work::Clock clock(work, "parse");
    FileId file = work.sources.add(source.name, lang::with_studio_calls(source.text, calls));
    lang::ast::Module out = lang::parse(work.sources, file, work.sink);
    out.asked_calls = calls.size();
    return out;
}

} // namespace hidet::session
