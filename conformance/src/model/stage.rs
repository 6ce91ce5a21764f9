mod append;
mod birth;
mod finale;
mod known;
mod list;
mod outcome;
mod play;
mod recorder;
mod setting;
mod stream;
mod wrong;

pub(crate) use play::{NotPlayed, play};
