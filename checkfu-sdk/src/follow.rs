//! Following a Session or one of its threads: each event's local effect and the cursor in one transaction of the caller's database.

mod batch;
mod catch_up;
mod delivery;
mod entry;
mod error;
mod follower;
mod goal;
mod handler;
mod heads;
mod progress;
mod reads;
mod source;
mod start;

pub use batch::Batch;
pub use delivery::Delivery;
pub use error::{FollowError, RunError};
pub use follower::Follower;
pub use handler::{EventHandler, RunEnd};
pub use start::Follow;
