// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/run/debugger.h"

#include <algorithm>
#include <utility>

#include "app/ui/core/window_words.h"
#include "app/ui/core/words.h"
#include "app/ui/run/run_controller.h"

namespace hidet::ui {

namespace {

constexpr int most_shared_elements = 32; // of a shared tensor that are shown

// The kernel that the first of the breakpoints in one lies in; empty: none does.
QString kernelOfBreakpoints(const Studio& studio, const Document& document) {
    const LivePipeline* live = studio.scripts.live();
    if (!live || !live->latest())
        return {};
    const session::FunctionSnapshot* found = nullptr;
    for (const Breakpoint& breakpoint : studio.debug.breakpoints(document)) {
        for (const session::LiveModule& module : live->latest()->modules)
            for (const session::FunctionSnapshot& function : module.snapshot->functions) {
                const bool isAbove =
                    function.place.file == document.name().toStdString() && function.place.line <= breakpoint.line;
                if (isAbove && (!found || function.place.line > found->place.line))
                    found = &function;
            }
        if (found && found->kind == "cuda_kernel")
            return text(found->name);
        found = nullptr;
    }
    return {};
}

QString reasonOf(const QJsonObject& stopped) {
    const QString reason = stopped["reason"].toString();
    if (reason == "exception")
        return sentence(inWindowWords(stopped["text"].toString().toStdString()));
    if (stopped.contains("description")) // there is nothing before
        return Debugger::tr("The launch begins here");
    if (reason == "data breakpoint")
        return capitalized(stopped["text"].toString());
    if (reason == "pause")
        return Debugger::tr("Paused");
    if (reason == "entry")
        return Debugger::tr("The launch begins");
    return reason == "breakpoint" ? Debugger::tr("Breakpoint") : Debugger::tr("Step");
}

} // namespace

Debugger::Debugger(Studio& studio) : QObject(&studio), m_studio(studio) {
    connect(&studio.debug, &DebugBoard::breakpointsSet, this, [this](const Document* document) {
        if (m_link && document == m_studio.debug.debugged())
            sendBreakpoints();
    });
    connect(&studio.debug, &DebugBoard::groupRequested, this, [this](int group) {
        if (const DebugStop* stop = m_studio.debug.stop())
            look(group, *stop);
    });
    connect(&studio.debug, &DebugBoard::watchedSet, this, [this] {
        if (m_link)
            sendWatched();
    });
    connect(&studio.debug, &DebugBoard::elementRequested, this, &Debugger::askForWriter);
    connect(&studio.debug, &DebugBoard::placeRequested, this, &Debugger::goThere);
    connect(&studio.debug, &DebugBoard::changed, &studio.commands, &Commands::refresh);
    connect(&studio.tabs, &OpenTabs::documentAdded, this, [this](Document* document) {
        connect(document, &Document::textChanged, this, [this, document] {
            if (document == m_studio.debug.debugged())
                end(tr("Debugging has ended, as the script was changed"));
        });
    });
    connect(&studio.tabs, &OpenTabs::documentClosing, this, [this](Document* document) {
        if (document == m_studio.debug.debugged())
            end(tr("Debugging has ended, as the script was closed"));
        m_studio.debug.forget(*document);
    });
    bindCommands();
}

void Debugger::bindCommands() {
    Commands& commands = m_studio.commands;
    commands.bind(
        Command::DebugStart, this,
        [this] {
            if (!m_link)
                return start();
            m_studio.debug.stop() ? move("continue") : pause();
        },
        [this, action = commands.action(Command::DebugStart)] {
            const QString reason = whyNot();
            Commands::explain(action, reason);
            return reason.isEmpty();
        });
    const std::pair<Command, const char*> moves[] = {
        {Command::DebugBack, "reverseContinue"}, {Command::DebugStep, "next"}, {Command::DebugStepBack, "stepBack"}};
    for (const auto& [command, request] : moves)
        commands.bind(
            command, this, [this, request = request] { move(request); },
            [this, action = commands.action(command)] {
                const bool stands = m_studio.debug.stop();
                Commands::explain(action, stands ? QString() : tr("no kernel stands in the debugger"));
                return stands;
            });
    commands.bind(
        Command::RunCancel, this, [this] { end(tr("Debugging was stopped")); }, [this] { return m_link != nullptr; });
}

QString Debugger::whyNot() const {
    if (m_link)
        return {};
    const Document* document = m_studio.tabs.current();
    if (!document)
        return m_studio.tabs.model() ? tr("a model is in front") : tr("no script is open");
    return document->isScript() ? QString() : tr("only scripts are debugged");
}

// ---- what is asked for -----------------------------------------------------------------------------------------------

void Debugger::start() {
    m_document = m_studio.tabs.current();
    m_link = new DebugLink(this);
    m_isLaunched = m_hasStood = m_hasFound = false;
    m_trouble.clear();
    m_look = nullptr;
    connect(m_link, &DebugLink::told, this, &Debugger::hear);
    connect(m_link, &DebugLink::lost, this, [this](const QString& why) { fail(capitalized(why)); });
    m_link->start(m_document->folder());
    ask("initialize", {{"adapterID", "hidet"}});
    ask("launch", launchOf(*m_document), [this](const QJsonObject& answer) {
        if (!answer["success"].toBool())
            fail(capitalized(answer["message"].toString()));
    });
    m_studio.debug.begin(*m_document);
    sendBreakpoints();
    ask("configurationDone");
    m_studio.notices.showStatus(tr("Debugging: the script runs on the emulator up to its kernel"));
}

QJsonObject Debugger::launchOf(const Document& document) const {
    QJsonObject out{{"program", document.name()},
                    {"text", QString::fromUtf8(document.text())},
                    {"stopOnEntry", m_studio.debug.breakpoints(document).empty()}};
    if (const QString kernel = kernelOfBreakpoints(m_studio, document); !kernel.isEmpty())
        out["kernel"] = kernel;
    if (const QString seed = m_studio.runs->plans().plan(document).seed; !seed.isEmpty())
        out["seed"] = seed.toLongLong();
    return out;
}

void Debugger::sendBreakpoints() {
    const Document& document = *m_document;
    QList<int> lines;
    QJsonArray wanted;
    for (const Breakpoint& breakpoint : m_studio.debug.breakpoints(document)) {
        lines << breakpoint.line;
        wanted << QJsonObject{{"line", breakpoint.line}, {"condition", breakpoint.condition}};
    }
    ask("setBreakpoints", {{"source", QJsonObject{{"path", document.name()}}}, {"breakpoints", wanted}},
        [this, lines](const QJsonObject& answer) {
            const QJsonArray placed = answer["body"]["breakpoints"].toArray();
            m_lines.clear();
            for (qsizetype at = 0; at < std::min(placed.size(), lines.size()); ++at)
                m_lines[placed[at]["id"].toInt()] = lines[at];
            for (const QJsonValue& each : placed)
                if (m_isLaunched) // or it is only known where they are wanted
                    hearPlaced(each.toObject());
        });
}

void Debugger::sendWatched() {
    QJsonArray wanted;
    for (const QString& id : m_studio.debug.watched())
        wanted << QJsonObject{{"dataId", id}};
    ask("setDataBreakpoints", {{"breakpoints", wanted}});
}

// Who asks again goes there.
void Debugger::askForWriter(const QString& text) {
    const DebugStop* stop = m_studio.debug.stop();
    if (!stop)
        return m_studio.notices.showStatus(tr("No kernel stands in the debugger"));
    if (const DebugElement* known = m_studio.debug.element(); known && known->asked == text && known->written)
        return goThere(*known->written);
    ask("hidet/lastWriter", {{"expression", text}, {"frameId", stop->group}}, [this, text](const QJsonObject& answer) {
        if (!m_studio.debug.stop())
            return;
        const QJsonObject body = answer["body"].toObject();
        DebugElement element{.asked = text};
        if (!answer["success"].toBool()) {
            element.said = answer["message"].toString();
        } else {
            element.id = body["dataId"].toString();
            element.said = tr("%1 is %2: %3").arg(element.id, body["value"].toString(), body["text"].toString());
            if (body.contains("position"))
                element.written = body["position"].toInteger();
        }
        m_studio.notices.showStatus(element.said);
        m_studio.debug.setElement(std::move(element));
    });
}

void Debugger::move(const QString& request, QJsonObject arguments) {
    arguments["threadId"] = m_studio.debug.stop()->group;
    m_look = nullptr;
    m_studio.debug.goOn();
    ask(request, arguments);
}

void Debugger::goThere(qint64 instruction) {
    if (m_studio.debug.stop())
        move("hidet/goTo", {{"position", instruction}});
}

void Debugger::pause() {
    ask("pause", {{"threadId", 1}});
    m_studio.notices.showStatus(tr("Pausing: the kernel stands at its next instruction"));
}

// An answer that comes when its process was let go is about nothing.
void Debugger::ask(const QString& request, const QJsonObject& arguments, DebugLink::OnAnswer answered) {
    m_link->ask(request, arguments, [this, link = m_link, answered = std::move(answered)](const QJsonObject& answer) {
        if (link == m_link && answered)
            answered(answer);
    });
}

void Debugger::end(const QString& sentence) {
    std::exchange(m_link, nullptr)->leave();
    m_studio.debug.end();
    std::vector<Breakpoint> plain = m_studio.debug.breakpoints(*m_document);
    for (Breakpoint& each : plain)
        each.isPlaced = true, each.mistake.clear();
    m_studio.debug.setBreakpoints(*m_document, std::move(plain));
    m_studio.notices.showStatus(sentence);
}

void Debugger::fail(const QString& sentence) {
    end(tr("Debugging has ended"));
    m_studio.notices.showError(tr("Debugging has ended. %1").arg(sentence));
}

// ---- what is heard ---------------------------------------------------------------------------------------------------

void Debugger::hear(const QString& event, const QJsonObject& body) {
    if (event == "breakpoint")
        return hearPlaced(body["breakpoint"].toObject());
    if (event == "exited")
        return hearEnd(body["exitCode"].toInt());
    if (event == "output") {
        const QString printed = body["output"].toString();
        if (body["category"] == "stderr")
            m_trouble = text(inWindowWords(printed.section('\n', 0, 0).toStdString()));
        else
            m_studio.runs->took(m_document, printed.toStdString());
    }
    if (event != "stopped")
        return;
    DebugStop stop;
    stop.why = reasonOf(body);
    stop.isFinding = body["reason"] == "exception";
    m_hasFound |= stop.isFinding;
    look(body["threadId"].toInt(), std::move(stop));
}

void Debugger::hearPlaced(const QJsonObject& breakpoint) {
    m_isLaunched = true;
    const auto known = m_lines.find(breakpoint["id"].toInt());
    if (known == m_lines.end())
        return;
    const bool isPlaced = breakpoint["verified"].toBool();
    const int line = isPlaced ? breakpoint["line"].toInt() : *known;
    const QString mistake = breakpoint["message"].toString();
    std::vector<Breakpoint> all = m_studio.debug.breakpoints(*m_document);
    for (Breakpoint& each : all)
        if (each.line == *known)
            each.line = line, each.isPlaced = isPlaced, each.mistake = mistake;
    if (!isPlaced)
        m_studio.notices.showStatus(tr("The breakpoint at line %1 is not reached: %2").arg(line).arg(mistake));
    else if (!mistake.isEmpty())
        m_studio.notices.showStatus(tr("The breakpoint at line %1 stops each time: %2").arg(line).arg(mistake));
    else if (line != *known)
        m_studio.notices.showStatus(
            tr("Line %1 has no statement of the kernel: its breakpoint is at line %2 now").arg(*known).arg(line));
    *known = line;
    m_studio.debug.setBreakpoints(*m_document, std::move(all));
}

void Debugger::hearEnd(int code) {
    if (code != 0 && !m_hasFound)
        return fail(m_trouble.isEmpty() ? tr("The script failed") : m_trouble);
    if (m_hasStood)
        return end(tr("Debugging has ended: the script is done"));
    end(m_isLaunched ? tr("Debugging has ended: the kernel came to no breakpoint")
                     : tr("Debugging has ended: the script launched no kernel that could be debugged"));
}

// ---- what is shown of a stop -----------------------------------------------------------------------------------------

void Debugger::look(int group, DebugStop stop) {
    stop.group = group;
    stop.groups.clear();
    stop.places.clear();
    stop.variables.clear();
    stop.shared.clear();
    const Looking look = m_look = std::make_shared<Look>(Look{std::move(stop)});
    askOf(look, "threads", {}, [look](const QJsonObject& body) {
        for (const QJsonValue& each : body["threads"].toArray()) {
            look->stop.groups << each["id"].toInt();
            look->stop.places << each["name"].toString();
        }
    });
    askOf(look, "stackTrace", {{"threadId", group}}, [look](const QJsonObject& body) {
        const QJsonValue frame = body["stackFrames"][0];
        look->stop.line = frame["line"].toInt();
        look->stop.file = frame["source"]["path"].toString();
    });
    askOf(look, "scopes", {{"frameId", group}}, [this, look](const QJsonObject& body) {
        for (const QJsonValue& scope : body["scopes"].toArray())
            askOf(look, "variables", {{"variablesReference", scope["variablesReference"]}},
                  [this, look, name = scope["name"].toString()](const QJsonObject& found) {
                      takeScope(look, name, found["variables"].toArray());
                  });
    });
}

void Debugger::askOf(const Looking& look, const QString& request, const QJsonObject& arguments,
                     std::function<void(const QJsonObject& body)> take) {
    ++look->open;
    ask(request, arguments, [this, look, take = std::move(take)](const QJsonObject& answer) {
        if (look != m_look)
            return;
        take(answer["body"].toObject());
        if (--look->open == 0)
            show(std::exchange(m_look, nullptr)->stop);
    });
}

void Debugger::takeScope(const Looking& look, const QString& scope, const QJsonArray& rows) {
    const int warp = look->stop.group - 1;
    if (scope == "Lanes")
        look->stop.lanes = rows[warp]["value"].toString();
    if (scope == "Variables" || scope == "Arguments")
        for (const QJsonValue& row : rows)
            if (row["indexedVariables"].isUndefined()) // no tensor
                look->stop.variables.push_back(
                    {row["name"].toString(), row["value"].toString(), row["type"].toString()});
    if (scope != "Shared memory")
        return;
    for (const QJsonValue& row : rows) {
        const std::size_t at = look->stop.shared.size();
        look->stop.shared.push_back({row["name"].toString(), {}, row["type"].toString()});
        askOf(look, "variables",
              {{"variablesReference", row["variablesReference"]}, {"start", 0}, {"count", most_shared_elements}},
              [look, at](const QJsonObject& body) {
                  QStringList elements;
                  for (const QJsonValue& element : body["variables"].toArray())
                      elements << element["value"].toString();
                  look->stop.shared[at].value = elements.join(look->stop.shared[at].type.contains(',') ? "; " : " ");
              });
    }
}

// The keyboard stays with the script; the values are opened once, and stay as the user leaves them.
void Debugger::show(const DebugStop& stop) {
    m_studio.debug.stand(stop);
    if (!std::exchange(m_hasStood, true))
        m_studio.requests.showThreads(stop.line);
    session::Place place;
    place.file = stop.file.toStdString();
    place.line = place.end_line = stop.line;
    place.column = place.end_column = 1;
    m_studio.requests.show(place);
    m_studio.notices.showStatus(tr("Line %1: %2").arg(stop.line).arg(stop.why.section('\n', 0, 0)));
}

} // namespace hidet::ui
