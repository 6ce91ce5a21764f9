use std::{io, num::NonZeroUsize, path::PathBuf, thread::available_parallelism};

use checkfu_conformance::{
    ExitStatus,
    prove::{Binary, Depth, Matrix, Settings, Unprovable, prove as prove_with},
};

use crate::{flags::ProveFlags, interrupt::Interrupts, output::print, told::tell, usage};

/// Most of a judgement is waiting.
const JOBS_PER_PROCESSOR: usize = 3;

pub(crate) async fn prove(flags: &ProveFlags, interrupts: &Interrupts) -> ExitStatus {
    let settings = match settings(flags) {
        Ok(settings) => settings,
        Err(message) => return usage(&message),
    };
    let directories = [("--write", &flags.write), ("--check", &flags.check)];
    for (flag, directory) in directories {
        if let Some(directory) = directory.as_ref().filter(|directory| !directory.is_dir()) {
            return usage(&format!("{flag}: {} is no directory", directory.display()));
        }
    }
    let progress = tell;
    let proof = tokio::select! {
        proof = prove_with(&settings, &progress) => proof,
        () = interrupts.interrupted() => {
            tell("error: interrupted; the servers are stopped");
            return ExitStatus::Interrupted;
        }
    };
    match proof {
        Ok(proof) => {
            print(&proof.to_string());
            match proof.holds() {
                true => recorded(flags, &Matrix::new(&proof.scores)),
                false => ExitStatus::Failed,
            }
        }
        Err(error @ Unprovable::NoStart { .. }) => {
            tell(&format!("error: {error}"));
            ExitStatus::NotJudged
        }
        Err(error) => usage(&error.to_string()),
    }
}

fn recorded(flags: &ProveFlags, matrix: &Matrix) -> ExitStatus {
    if let Some(directory) = &flags.write
        && let Err(error) = matrix.write(directory)
    {
        let directory = directory.display();
        return usage(&format!("--write: {directory} cannot be written: {error}"));
    }
    if let Some(directory) = &flags.check
        && let Err(stale) = matrix.compare(directory)
    {
        tell(&format!("error: {stale}"));
        return ExitStatus::Failed;
    }
    ExitStatus::Conformant
}

fn settings(flags: &ProveFlags) -> Result<Settings, String> {
    let path = match &flags.server {
        Some(path) => path.clone(),
        None => beside()
            .map_err(|error| format!("where this program stands is unknown, give --server: {error}"))?,
    };
    let processors = available_parallelism().map_or(1, NonZeroUsize::get);
    Ok(Settings {
        binary: Binary::at(path).map_err(|error| error.to_string())?,
        depth: if flags.quick { Depth::Quick } else { Depth::Full },
        jobs: flags
            .jobs
            .map_or(processors * JOBS_PER_PROCESSOR, NonZeroUsize::get),
        only: flags.only.clone(),
    })
}

fn beside() -> io::Result<PathBuf> {
    let name = format!("checkfu-mock-server{}", std::env::consts::EXE_SUFFIX);
    Ok(std::env::current_exe()?.with_file_name(name))
}
