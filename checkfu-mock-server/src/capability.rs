//! What this server can do and what it refuses (WIRE-5, A-CAP). One table is the source of the list and of every fence.

/// A part of the API that a deployment may leave off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Capability {
    Sessions,
    Runs,
    Threads,
    Interrupts,
    Waits,
    Outcomes,
    Previews,
    Forks,
    Diffs,
    Checkpoints,
    Watches,
    ProjectMounts,
    MemoryMounts,
    Skills,
    PromptIntegrity,
}

struct Entry {
    capability: Capability,
    id: &'static str,
    enabled: bool,
}

const fn entry(capability: Capability, id: &'static str, enabled: bool) -> Entry {
    Entry {
        capability,
        id,
        enabled,
    }
}

const TABLE: [Entry; 15] = [
    entry(Capability::Sessions, "sessions", true),
    entry(Capability::Runs, "runs", true),
    entry(Capability::Threads, "threads", true),
    entry(Capability::Interrupts, "interrupts", true),
    entry(Capability::Waits, "waits", true),
    entry(Capability::Outcomes, "outcomes", true),
    entry(Capability::Previews, "previews", true),
    entry(Capability::Forks, "forks", true),
    entry(Capability::Diffs, "diffs", true),
    entry(Capability::Checkpoints, "checkpoints", false),
    entry(Capability::Watches, "watches", false),
    entry(Capability::ProjectMounts, "project_mounts", false),
    entry(Capability::MemoryMounts, "memory_mounts", false),
    entry(Capability::Skills, "skills", false),
    entry(Capability::PromptIntegrity, "prompt_integrity", true),
];

impl Capability {
    /// The name on the wire.
    pub(crate) fn id(self) -> &'static str {
        self.entry().map_or("", |entry| entry.id)
    }

    /// Whether requests that need it are run.
    pub(crate) fn is_enabled(self) -> bool {
        self.entry().is_some_and(|entry| entry.enabled)
    }

    /// Every capability, in the order in which they are listed.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|entry| entry.capability)
    }

    fn entry(self) -> Option<&'static Entry> {
        TABLE.iter().find(|entry| entry.capability == self)
    }
}
