//! Typed client for the Checkfu API: resumable event streams, cursors in your own transaction, settlement.
