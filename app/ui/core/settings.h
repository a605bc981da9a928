// SPDX-License-Identifier: GPL-3.0-only
// What a user may set: typed values by key, kept in ~/.config. settings.def is the table; the dialog is made from it.
#pragma once

#include <algorithm>
#include <vector>

#include <QObject>
#include <QSettings>
#include <QStringList>
#include <QVariant>

namespace hidet::ui {

enum class Setting {
#define HIDET_SETTING(name, key, kind, standard, page, title, help) name,
#include "app/ui/core/settings.def"
};

enum class SettingKind { Bool, Int, Text, Choice };

struct SettingInfo {
    Setting setting;
    QString key;
    SettingKind kind;
    QVariant standard; // the value until the user says otherwise
    QString page;
    QString title;
    QString help;
};
const std::vector<SettingInfo>& allSettings();
const SettingInfo& infoOf(Setting setting);
QStringList choicesOf(Setting setting);

class Settings : public QObject {
    Q_OBJECT
public:
    explicit Settings(QObject* parent = nullptr); // the user's own file
    Settings(const QString& file, QObject* parent);

    QVariant value(Setting setting) const;
    bool flag(Setting setting) const { return value(setting).toBool(); }
    int number(Setting setting) const { return value(setting).toInt(); }
    QString text(Setting setting) const { return value(setting).toString(); }
    // A value of the wrong kind, or a choice that there is not, leaves things as they were.
    void set(Setting setting, const QVariant& value);
    void reset(Setting setting);

    // Shortcuts that differ from the table, by command id.
    QVariant extra(const QString& key) const { return m_store.value(key); }
    void setExtra(const QString& key, const QVariant& value); // an invalid value removes the key
    QStringList extraKeys(const QString& group) const;        // "keys/file.open", ...

    // When one of them has changed.
    template <typename Act>
    void follow(std::initializer_list<Setting> some, QObject* who, Act act) const {
        connect(this, &Settings::changed, who, [some = std::vector(some), act](Setting setting) {
            if (std::ranges::find(some, setting) != some.end())
                act();
        });
    }

signals:
    void changed(hidet::ui::Setting setting);
    void keysImported(); // shortcuts came from a file

private:
    QSettings m_store;
};

} // namespace hidet::ui
