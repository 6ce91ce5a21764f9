//! Reference server of the Checkfu API: a durable event log over real HTTP, as a binary and in process.
