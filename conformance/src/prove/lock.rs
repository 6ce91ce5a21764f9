use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a hook has noted so far.
pub(crate) fn locked<T>(noted: &Mutex<T>) -> MutexGuard<'_, T> {
    noted.lock().unwrap_or_else(PoisonError::into_inner)
}
