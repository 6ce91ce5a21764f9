//! Following a Session: each event's local effect and the cursor in one transaction of the caller's database.

mod delivery;
mod error;
mod follower;
mod handler;
mod progress;
mod start;

pub use delivery::Delivery;
pub use error::{FollowError, RunError};
pub use follower::Follower;
pub use handler::EventHandler;
pub use start::Follow;
