//! The commands `model` and `check-history`.

use std::path::PathBuf;

use checkfu_conformance::{
    ExitStatus,
    model::{self, History, ModelReport},
};

use crate::{
    bounded,
    files::ReportFiles,
    flags::{HistoryFlags, ModelFlags},
    interrupt::Interrupts,
    output::print,
    printable::one_line,
    told::tell,
    usage,
};

/// A line of progress after so many histories.
const PROGRESS: u64 = 20;

pub(crate) async fn played(flags: ModelFlags, interrupts: &Interrupts) -> ExitStatus {
    let end = interrupts.end_the_second_time();
    let (plan, random) = match flags.plan().and_then(|plan| Ok((plan, flags.random()?))) {
        Ok((plan, random)) => (plan.with_clean_up_end(end.clone()), random),
        Err(error) => return usage(&error.to_string()),
    };
    let files = match ReportFiles::of_histories(&flags.report) {
        Ok(files) => files,
        Err(message) => return usage(&message),
    };
    print(&format!("seed {}\n", random.seed));
    let mut done = 0;
    let report = model::run(&plan, random, interrupts.interrupted(), |_| {
        done += 1;
        if !flags.is_quiet() && (done % PROGRESS == 0 || done == random.histories) {
            tell(&format!("{done} histories"));
        }
    })
    .await;
    print(&report.to_string());
    if let Err(message) = files.write(&report) {
        return usage(&message);
    }
    if !report.cases.is_empty() {
        let directory = flags.bundle.clone().unwrap_or_else(|| fresh_directory(&report));
        match report.write_bundle(&directory) {
            Ok(files) => {
                let mut shown = String::new();
                for file in files {
                    shown.push_str(&format!("  {}\n", file.display()));
                }
                print(&format!(
                    "\nhistories in {}:\n{shown}judge again: {}\n",
                    directory.display(),
                    report.judge_again(&directory)
                ));
            }
            Err(error) => return usage(&format!("--bundle: {error}")),
        }
    }
    match end.is_ended() {
        true => ExitStatus::Interrupted,
        false => status(&report, flags.allow_partial),
    }
}

pub(crate) fn checked(flags: &HistoryFlags) -> ExitStatus {
    let files = match ReportFiles::of_histories(&flags.report) {
        Ok(files) => files,
        Err(message) => return usage(&message),
    };
    let mut histories = Vec::new();
    for file in &flags.files {
        let name = one_line(&file.display().to_string());
        let text = match bounded::read(file, bounded::HISTORY) {
            Ok(text) => text,
            Err(error) => return usage(&format!("{name} cannot be read: {error}")),
        };
        match History::parse(&text) {
            Ok(history) => histories.push((name, history)),
            Err(error) => return usage(&one_line(&format!("{name}: {error}"))),
        }
    }
    let report = model::judge(histories, flags.profile, flags.strict);
    print(&report.to_string());
    if let Err(message) = files.write(&report) {
        return usage(&message);
    }
    status(&report, flags.allow_partial)
}

fn status(report: &ModelReport, allow_partial: bool) -> ExitStatus {
    match report.exit() {
        ExitStatus::Partial if allow_partial => ExitStatus::Conformant,
        exit => exit,
    }
}

fn fresh_directory(report: &ModelReport) -> PathBuf {
    std::env::temp_dir().join(format!("checkfu-conformance-{}", report.run_id))
}
