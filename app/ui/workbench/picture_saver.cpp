// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/picture_saver.h"

#include <QApplication>

#include "app/ui/widgets/bar_parts.h"

namespace hidet::ui {

PictureSaver::PictureSaver(Studio& studio, QWidget& dock, std::function<bool()> has, std::function<SavedPicture()> make)
    : QObject(&dock), m_studio(studio), m_dock(dock), m_has(std::move(has)), m_make(std::move(make)) {
    studio.commands.bind(
        Command::PanePicture, &dock, [this] { save(); },
        [this] {
            const QWidget* focus = QApplication::focusWidget();
            return (&m_dock == focus || m_dock.isAncestorOf(focus)) && m_has();
        });
}

QToolButton* PictureSaver::newButton(QWidget* line) {
    QToolButton* out = (new BarParts(m_studio.themes, line))
                           ->newButton("picture", tr("Save picture"),
                                       tr("Writes the picture to a file: PNG, SVG, or TSV if it has figures"));
    connect(out, &QToolButton::clicked, this, &PictureSaver::save);
    return out;
}

void PictureSaver::save() {
    if (!m_has())
        return m_studio.notices.showStatus(tr("There is no picture to be saved"));
    const SavedPicture picture = m_make();
    const QStringList endings = picture.endings();
    const QString path = m_studio.dialogs.save(&m_dock, tr("Save picture"), picture.name + '.' + endings.first(),
                                               tr("Pictures (*.%1)").arg(endings.join(" *.")));
    if (path.isEmpty())
        return;
    m_writing.run([picture, path](const std::atomic<bool>&) { return writePicture(picture, path); },
                  [this, path](const QString& error) {
                      if (error.isEmpty())
                          return m_studio.notices.showStatus(tr("Saved %1").arg(path));
                      m_studio.notices.showError(error, {{tr("Save elsewhere"), [this] { save(); }}});
                  });
}

} // namespace hidet::ui
