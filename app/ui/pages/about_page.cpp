// SPDX-License-Identifier: GPL-3.0-only
#include <QClipboard>
#include <QGuiApplication>
#include <QPushButton>

#include "app/ui/core/latest_task.h"
#include "app/ui/pages/diagnostics.h"
#include "app/ui/pages/page_parts.h"
#include "app/ui/pages/pages.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

namespace {

// Lines "name: what it is" as two columns; the first is as wide in all tables.
QString tableOf(const QString& lines, int width, const QColor& muted) {
    QString out = "<table cellspacing='0' cellpadding='0'>";
    for (const QString& line : lines.split('\n')) {
        const QString name = line.section(": ", 0, 0);
        QString fact = line.section(": ", 1);
        if (fact.startsWith(name + " was "))
            fact.remove(0, name.size() + 5);
        out += QString("<tr><td width='%4' style='color:%1; padding:0 0 4px 0; white-space:nowrap'>%2</td>"
                       "<td style='padding-bottom:4px'>%3</td></tr>")
                   .arg(muted.name(), name.toHtmlEscaped(), fact.toHtmlEscaped())
                   .arg(width);
    }
    return out + "</table>";
}

class AboutPage : public Page {
public:
    explicit AboutPage(Studio& studio) : Page(tr("Hidet Studio %1").arg(HIDET_VERSION)), m_studio(studio) {
        auto* copy = named(new QPushButton(tr("Copy diagnostics")), "about.copy");
        copy->setToolTip(tr("Versions, tools, folders and the last messages, as text"));
        head()->addWidget(copy);
        column()->addWidget(mutedLabel(tr("Write a GPU kernel and watch it become machine code.")));
        named(add(tr("Versions"), versionLines()), "about.versions");
        m_toolLines = tr("Looking for compilers, tools and a GPU");
        m_tools = named(add(tr("Tools of this machine"), m_toolLines), "about.tools");
        m_folders = named(add(tr("Folders"), {}), "about.folders");
        add(tr("Licences"),
            tr("The desktop program is free software under the GNU General Public License, version 3, because of "
               "QScintilla. The language, the compiler, the runtime and the command line are under the "
               "Apache License 2.0: what you export and link is free of the GPL.\n"
               "It uses Qt (LGPL-3.0), QScintilla (GPL-3.0), ANTLR, {fmt}, spdlog, CLI11, nlohmann/json and xxHash. "
               "There is no warranty, to the extent that the law allows."));
        connect(copy, &QPushButton::clicked, this, [this] {
            QGuiApplication::clipboard()->setText(text());
            m_studio.notices.showStatus(tr("Copied the diagnostics"));
        });
        setFocusProxy(copy);
        studio.themes.follow(this, &AboutPage::showFacts);
        examine();
    }

private:
    QLabel* add(const QString& heading, const QString& text) {
        column()->addSpacing(8);
        column()->addWidget(headingOf(heading));
        auto* label = new QLabel(text);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        label->setAccessibleName(heading);
        column()->addWidget(label);
        return label;
    }

    // Loads libraries and starts programs: not on this thread.
    void examine() {
        m_examining.run([tools = m_studio.tools](const std::atomic<bool>&) { return session::examine(*tools); },
                        [this](const session::DoctorReport& report) {
                            m_toolLines = toolLines(report);
                            showFacts();
                        });
    }

    void showFacts() {
        const QColor muted = m_studio.themes.theme().muted;
        int width = 0;
        const QStringList lines = (m_toolLines + '\n' + folderLines()).split('\n');
        for (const QString& line : lines)
            if (line.contains(": "))
                width = std::max(width, fontMetrics().horizontalAdvance(line.section(": ", 0, 0)) + 24);
        if (m_toolLines.contains(": "))
            m_tools->setText(tableOf(m_toolLines, width, muted));
        m_folders->setText(tableOf(folderLines(), width, muted));
    }

    QString text() const {
        return versionLines() + "\n\n" + m_toolLines + "\n\n" + folderLines() + "\n\n" + logLines().join('\n') + '\n';
    }

    Studio& m_studio;
    QLabel* m_tools;
    QLabel* m_folders;
    QString m_toolLines;
    LatestTask m_examining{LatestTask::Wanted::ByPerson};
};

} // namespace

QWidget* makeAboutPage(Studio& studio) {
    return new AboutPage(studio);
}

} // namespace hidet::ui
