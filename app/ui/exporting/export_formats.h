// SPDX-License-Identifier: GPL-3.0-only
// The formats that something can be exported in, each with what it is.
#pragma once

#include <QListWidget>

#include "app/session/exporting/export.h"
#include "app/ui/core/theme.h"

namespace hidet::ui {

class ExportFormats : public QListWidget {
    Q_OBJECT
public:
    explicit ExportFormats(ThemeSource& themes, QWidget* parent = nullptr);

    // Keeps what is chosen, if it is among them. `isScript`: else formats that run one cannot be chosen.
    void show(session::ExportSubject subject, bool isScript);
    using QWidget::show;
    const session::ExportFormatInfo& chosen() const;
    void choose(const QString& name); // one that there is not is passed over

signals:
    void formatChosen();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitHeight(); // all of them are seen
    std::vector<const session::ExportFormatInfo*> m_shown;
};

} // namespace hidet::ui
