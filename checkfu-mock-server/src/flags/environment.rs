//! Flags that come from the environment.

use std::env;
use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, Command, Error};

/// The command with what its variables say: an empty one counts as unset, like a switch that is off.
pub(super) fn applied(command: Command) -> Command {
    command.mut_args(|argument| {
        let Some(value) = variable(&argument).and_then(env::var_os) else {
            return argument;
        };
        let is_off = matches!(argument.get_action(), ArgAction::SetTrue) && switch(&value) == Some(false);
        if value.is_empty() || is_off {
            argument.env(None::<&str>)
        } else {
            argument
        }
    })
}

/// The same error, which says where a value that nobody wrote on the command line comes from.
pub(super) fn explained(mut error: Error, command: &Command) -> Error {
    let concerned = [ContextKind::InvalidArg, ContextKind::PriorArg].map(|kind| match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    });
    let names = concerned.concat();
    let from_variables = command.get_arguments().filter(|argument| {
        names.contains(&argument.to_string()) && variable(argument).and_then(env::var_os).is_some()
    });
    let tips: Vec<StyledStr> = from_variables
        .filter(|argument| !is_on_the_command_line(argument))
        .filter_map(variable)
        .map(|variable| format!("this comes from the variable {variable}").into())
        .collect();
    if !tips.is_empty() {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
    error
}

/// What the value of a switch's variable says; nothing if it is none that a switch takes.
fn switch(value: &OsString) -> Option<bool> {
    let word = value.to_str()?.to_ascii_lowercase();
    match &*word {
        "true" | "1" | "yes" | "on" => Some(true),
        "false" | "0" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// Reads a switch.
pub(super) fn parse_switch(text: &str) -> Result<bool, String> {
    switch(&text.into()).ok_or_else(|| "write true, 1, yes or on, or false, 0, no or off".to_owned())
}

fn variable(argument: &Arg) -> Option<&str> {
    argument.get_env()?.to_str()
}

fn is_on_the_command_line(argument: &Arg) -> bool {
    let Some(name) = argument.get_long() else {
        return false;
    };
    env::args_os().skip(1).any(|word| {
        let word = word.to_string_lossy();
        word.strip_prefix("--").is_some_and(|rest| {
            rest == name || rest.strip_prefix(name).is_some_and(|rest| rest.starts_with('='))
        })
    })
}
