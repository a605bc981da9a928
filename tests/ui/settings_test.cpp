// SPDX-License-Identifier: GPL-3.0-only
// The pages of settings and of shortcuts.
#include <QCheckBox>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>

#include "app/ui/core/held_setting.h"
#include "app/ui/core/remote_worker.h"
#include "app/ui/persistence/settings_file.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

class SettingsTest : public QObject {
    Q_OBJECT
private slots:
    void everySettingHasAControlWithAName() {
        StudioFixture studio;
        QVERIFY(studio.trigger("view.settings"));
        const QWidget* page = studio.window().pages().pageWidget();
        for (const SettingInfo& info : allSettings()) {
            const auto* control = page->findChild<QWidget*>("setting." + info.key);
            QVERIFY2(control, qPrintable(info.key));
            QCOMPARE(control->accessibleName(), info.title);
        }
    }

    void aChangeHoldsAtOnceAndCanBeTakenBack() {
        StudioFixture studio;
        QVERIFY(studio.trigger("view.settings"));
        auto* box = studio.window().findChild<QCheckBox*>("setting." + infoOf(Setting::SyncScroll).key);
        box->click();
        QVERIFY(studio.studio().settings.flag(Setting::SyncScroll));
        studio.studio().settings.reset(Setting::SyncScroll);
        QVERIFY(!box->isChecked());
    }

    void theSearchHidesWhatDoesNotFit() {
        StudioFixture studio;
        QVERIFY(studio.trigger("view.settings"));
        QWidget* page = studio.window().pages().pageWidget();
        page->findChild<QLineEdit*>("settings.search")->setText("time limit");
        QVERIFY(page->findChild<QWidget*>("setting." + infoOf(Setting::KernelSeconds).key)->isVisible());
        QVERIFY(!page->findChild<QWidget*>("setting." + infoOf(Setting::Theme).key)->isVisible());
    }

    void settingsGoThroughAFile() {
        QTemporaryDir folder;
        Settings from(folder.filePath("from.conf"), nullptr), to(folder.filePath("to.conf"), nullptr);
        from.set(Setting::TabWidth, 2);
        from.setExtra("keys/file.new", "Ctrl+J");
        to.set(Setting::DebounceMs, 99);
        FileError error;
        QVERIFY(exportSettings(from, folder.filePath("file.conf"), error));
        QVERIFY(importSettings(to, folder.filePath("file.conf"), error));
        QCOMPARE(to.number(Setting::TabWidth), 2);
        QCOMPARE(to.number(Setting::DebounceMs), infoOf(Setting::DebounceMs).standard.toInt());
        QCOMPARE(to.extra("keys/file.new").toString(), QString("Ctrl+J"));
        QVERIFY(!importSettings(to, folder.filePath("no such file"), error));
        QVERIFY(error.message.contains("no such file"));
    }

    void aKeyThatIsTakenSaysSoBeforeItChangesHands() {
        StudioFixture studio;
        QVERIFY(studio.trigger("view.shortcuts"));
        QWidget* page = studio.window().pages().pageWidget();
        auto* list = page->findChild<QTreeWidget*>("shortcuts.list");
        auto* key = page->findChild<QLineEdit*>("shortcuts.key");
        auto* take = page->findChild<QPushButton*>("shortcuts.take");
        const auto* said = page->findChild<QLabel*>("shortcuts.said");
        list->setCurrentItem(list->findItems("Save all", Qt::MatchExactly).value(0));
        QTest::keyClick(key, Qt::Key_N, Qt::ControlModifier);
        QVERIFY2(said->text().contains("New script"), qPrintable(said->text()));
        Commands& commands = studio.studio().commands;
        QCOMPARE(Commands::idOf(commands.ownerOf(QKeySequence("Ctrl+N"))), QString("file.new"));
        take->click();
        QCOMPARE(Commands::idOf(commands.ownerOf(QKeySequence("Ctrl+N"))), QString("file.save_all"));
        commands.resetAllKeys();
        QCOMPARE(Commands::idOf(commands.ownerOf(QKeySequence("Ctrl+N"))), QString("file.new"));
        QVERIFY(commands.find("file.save_all")->shortcuts().isEmpty());
    }

    void keysThatWriteTextAreRefused() {
        for (const char* key : {"Ctrl+Alt+E", "A", "Shift+A"})
            QVERIFY2(!Commands::isUsable(QKeySequence(key)), key);
        for (const char* key : {"F5", "Ctrl+E", "Alt+1", "Ctrl+Shift+Tab", "Esc"})
            QVERIFY2(Commands::isUsable(QKeySequence(key)), key);
        for (const CommandInfo& info : allCommands())
            for (const QKeySequence& key : info.keys)
                QVERIFY2(Commands::isUsable(key), qPrintable(info.id));
    }

    void aValueOfTheCommandLineIsNotKept() {
        QTemporaryDir folder;
        const QString file = folder.filePath("settings.conf");
        {
            Settings settings(file, nullptr);
            settings.set(Setting::Target, "cpu");
            hold(settings, Setting::Target, "emulate");
            QCOMPARE(settings.text(Setting::Target), QString("emulate"));
            hold(settings, Setting::Target, "nowhere");
            QCOMPARE(settings.text(Setting::Target), QString("emulate"));
        }
        Settings settings(file, nullptr);
        QCOMPARE(settings.text(Setting::Target), QString("cpu"));
        hold(settings, Setting::Target, "emulate");
        settings.set(Setting::Target, "cuda"); // the user's own choice
        QCOMPARE(settings.text(Setting::Target), QString("cuda"));
        hold(settings, Setting::Target, "emulate");
        settings.set(Setting::Target, "cuda"); // again, and the same as is kept
        QCOMPARE(settings.text(Setting::Target), QString("cuda"));
    }

    void aRemoteWorkerIsALineOfTheUsersFile() {
        StudioFixture studio;
        Settings& settings = studio.studio().settings;
        QCOMPARE(chooseRemoteWorker(settings, "gpu = ssh gpu-server hidetc worker"), QString());
        QCOMPARE(settings.text(Setting::RemoteWorker), QString("gpu"));
        QCOMPARE(chooseRemoteWorker(settings, "other = srun hidetc worker"), QString());
        QCOMPARE(chooseRemoteWorker(settings, "gpu"), QString());
        QCOMPARE(remoteWorkerOf(settings).value().command.at(1), std::string("gpu-server"));
        QVERIFY(chooseRemoteWorker(settings, "gpu = ssh 'gpu").contains("a quote that is not closed"));
        QVERIFY(chooseRemoteWorker(settings, "nowhere").contains("has gpu, other"));
        settings.set(Setting::RemoteWorker, ""); // the first one
        QCOMPARE(remoteWorkerOf(settings).value().name, std::string("gpu"));
    }

    void aCommandInTheSettingsOfBeforeMovesToTheFile() {
        StudioFixture studio; // whose folder of settings it is
        QTemporaryDir folder;
        Settings settings(folder.filePath("settings.conf"), nullptr);
        settings.setExtra("workers/remote", "ssh host 'a b' | tee log");
        QCOMPARE(settings.text(Setting::RemoteWorker), QString()); // no command is one before it is in the file
        moveRemoteWorker(settings);
        QCOMPARE(settings.text(Setting::RemoteWorker), QString("remote"));
        QCOMPARE(remoteWorkerOf(settings).value().command,
                 (std::vector<std::string>{"sh", "-c", "ssh host 'a b' | tee log"}));
    }
};

HIDET_UI_TEST_MAIN(SettingsTest)
#include "settings_test.moc"
