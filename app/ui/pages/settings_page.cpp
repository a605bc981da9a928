// SPDX-License-Identifier: GPL-3.0-only
// Everything that can be set, made from core/settings.def. A change holds at once; each row says what is usual and goes
// back to it with a button.
#include <QCheckBox>
#include <QComboBox>
#include <QPushButton>
#include <QSpinBox>

#include "app/ui/core/remote_worker.h"
#include "app/ui/pages/page_parts.h"
#include "app/ui/pages/pages.h"
#include "app/ui/persistence/settings_file.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

namespace {

QString shownValue(const SettingInfo& info, const QVariant& value) {
    if (info.kind == SettingKind::Bool)
        return value.toBool() ? QObject::tr("on") : QObject::tr("off");
    return value.toString().isEmpty() ? QObject::tr("empty") : value.toString();
}

class SettingsPage : public Page {
public:
    explicit SettingsPage(Studio& studio) : Page(tr("Settings")), m_studio(studio) {
        m_search = newSearchField(nullptr, "settings.search", tr("Search settings"), tr("Search settings"));
        m_search->setMinimumWidth(240);
        head()->addWidget(m_search);
        head()->addWidget(fileButton(tr("Import..."), &SettingsPage::importFile));
        head()->addWidget(fileButton(tr("Export..."), &SettingsPage::exportFile));
        QString page;
        for (const SettingInfo& info : allSettings()) {
            if (info.page != page)
                addHeading(page = info.page);
            addRow(info);
        }
        m_none = mutedLabel(tr("No setting has these words."));
        m_none->hide();
        column()->addWidget(m_none);
        connect(m_search, &QLineEdit::textChanged, this, &SettingsPage::filter);
        connect(&studio.settings, &Settings::changed, this, [this] { refresh(); });
        connect(&studio.themes, &ThemeSource::changed, this, [this] { refresh(); });
        setFocusProxy(m_search);
        refresh();
    }

private:
    struct Row {
        const SettingInfo& info;
        QWidget* widget;
        QToolButton* reset;
        std::function<void(const QVariant&)> show;
    };
    struct Heading {
        QString page;
        QWidget* widget;
    };

    QPushButton* fileButton(const QString& text, void (SettingsPage::*act)()) {
        auto* button = new QPushButton(text);
        connect(button, &QPushButton::clicked, this, act);
        return button;
    }

    void importFile() {
        const QStringList files = m_studio.dialogs.open(this, tr("Import settings"), {}, tr("Settings (*.conf)"));
        FileError error;
        if (!files.isEmpty() && !importSettings(m_studio.settings, files.first(), error))
            m_studio.notices.showError(error.message, {{tr("Choose another"), [this] { importFile(); }}});
    }

    void exportFile() {
        const QString file =
            m_studio.dialogs.save(this, tr("Export settings"), "hidet-studio.conf", tr("Settings (*.conf)"));
        FileError error;
        if (!file.isEmpty() && !exportSettings(m_studio.settings, file, error))
            m_studio.notices.showError(error.message, {{tr("Save elsewhere"), [this] { exportFile(); }}});
    }

    void addHeading(const QString& page) {
        auto* widget = new QWidget;
        auto* reset = new QPushButton(tr("Reset page"));
        reset->setProperty("link", true);
        reset->setAccessibleName(tr("Reset all of %1").arg(page));
        connect(reset, &QPushButton::clicked, this, [this, page] {
            for (const SettingInfo& info : allSettings())
                if (info.page == page)
                    m_studio.settings.reset(info.setting);
        });
        newRow({0, 16, 0, 0}, -1, {headingOf(page), stretched(), reset}, widget);
        column()->addWidget(widget);
        m_headings.push_back({page, widget});
    }

    void addRow(const SettingInfo& info) {
        auto* widget = new QWidget;
        widget->setProperty("settingRow", true);
        widget->setAttribute(Qt::WA_StyledBackground);
        auto* title = new QLabel(info.title);
        QString help = info.help;
        if (info.kind != SettingKind::Bool)
            help += ' ' + tr("Default: %1.").arg(shownValue(info, info.standard));
        Row out{info, widget, new QToolButton, {}};
        QWidget* control = controlOf(info, out.show);
        named(control, "setting." + info.key, info.title);
        control->setAccessibleDescription(info.help);
        title->setBuddy(control);
        out.reset->setText(tr("Reset"));
        out.reset->setAccessibleName(tr("Reset %1").arg(info.title));
        out.reset->setToolTip(tr("Back to: %1").arg(shownValue(info, info.standard)));
        QSizePolicy policy = out.reset->sizePolicy();
        policy.setRetainSizeWhenHidden(true);
        out.reset->setSizePolicy(policy);
        connect(out.reset, &QToolButton::clicked, this, [this, control, setting = info.setting] {
            m_studio.settings.reset(setting);
            control->setFocus();
        });
        newRow({0, 8, 0, 8}, 8, {{newColumn(nullptr, {title, mutedLabel(help)}), 1}, out.reset, control}, widget);
        column()->addWidget(widget);
        m_rows.push_back(std::move(out));
    }

    QWidget* controlOf(const SettingInfo& info, std::function<void(const QVariant&)>& show) {
        constexpr int width = 200;
        Settings& settings = m_studio.settings;
        const Setting setting = info.setting;
        switch (info.kind) {
        case SettingKind::Bool: {
            auto* box = new QCheckBox;
            box->setProperty("alone", true);
            connect(box, &QCheckBox::toggled, this, [&settings, setting](bool on) { settings.set(setting, on); });
            show = [box](const QVariant& value) { box->setChecked(value.toBool()); };
            return box;
        }
        case SettingKind::Int: {
            auto* box = new QSpinBox;
            box->setRange(0, 100'000);
            if (setting == Setting::CodeFontSize)
                box->setSpecialValueText(tr("automatic"));
            box->setFixedWidth(width);
            box->setKeyboardTracking(false);
            connect(box, &QSpinBox::valueChanged, this,
                    [&settings, setting](int value) { settings.set(setting, value); });
            show = [box](const QVariant& value) { box->setValue(value.toInt()); };
            return box;
        }
        case SettingKind::Choice: {
            auto* box = new QComboBox;
            box->setFixedWidth(width);
            for (const QString& choice : choicesOf(setting)) {
                const Theme* theme = setting == Setting::Theme ? findTheme(choice) : nullptr;
                box->addItem(theme ? theme->name : choice, choice);
            }
            connect(box, &QComboBox::activated, this,
                    [&settings, setting, box](int row) { settings.set(setting, box->itemData(row)); });
            show = [box](const QVariant& value) { box->setCurrentIndex(box->findData(value)); };
            return box;
        }
        case SettingKind::Text: break;
        }
        auto* edit = new QLineEdit;
        edit->setFixedWidth(width);
        if (setting == Setting::CodeFont)
            edit->setPlaceholderText(tr("automatic"));
        if (setting == Setting::RemoteWorker)
            edit->setPlaceholderText(tr("the first of the file"));
        connect(edit, &QLineEdit::editingFinished, this, [this, setting, edit] { take(setting, *edit); });
        show = [edit](const QVariant& value) {
            if (edit->text() != value.toString())
                edit->setText(value.toString());
        };
        return edit;
    }

    void take(Setting setting, QLineEdit& edit) {
        if (setting != Setting::RemoteWorker)
            return m_studio.settings.set(setting, edit.text());
        if (!edit.isModified())
            return;
        edit.setModified(false);
        if (const QString wrong = chooseRemoteWorker(m_studio.settings, edit.text()); !wrong.isEmpty())
            m_studio.notices.showError(wrong);
    }

    void refresh() {
        for (const Row& row : m_rows) {
            const QVariant value = m_studio.settings.value(row.info.setting);
            row.show(value);
            row.reset->setVisible(value != row.info.standard);
        }
    }

    void filter() {
        const QStringList words = m_search->text().split(' ', Qt::SkipEmptyParts);
        QSet<QString> pages;
        for (const Row& row : m_rows) {
            const QString all = row.info.page + ' ' + row.info.title + ' ' + row.info.help + ' ' + row.info.key;
            bool fits = true;
            for (const QString& word : words)
                fits = fits && all.contains(word, Qt::CaseInsensitive);
            row.widget->setVisible(fits);
            if (fits)
                pages << row.info.page;
        }
        for (const Heading& heading : m_headings)
            heading.widget->setVisible(pages.contains(heading.page));
        m_none->setVisible(pages.isEmpty());
    }

    Studio& m_studio;
    QLineEdit* m_search;
    QLabel* m_none;
    std::vector<Row> m_rows;
    std::vector<Heading> m_headings;
};

} // namespace

QWidget* makeSettingsPage(Studio& studio) {
    return new SettingsPage(studio);
}

} // namespace hidet::ui
