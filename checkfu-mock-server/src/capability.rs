//! What a server can do and what it refuses (WIRE-5, A-CAP). One table is the source of the list and of every fence;
//! a server may be told to leave more of it off.

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

/// Which capabilities one server has on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Capabilities {
    switched_off: Vec<Capability>,
}

/// A capability that cannot be switched off.
///
/// ```
/// use checkfu_mock_server::{CapabilityError, MockServer};
///
/// let refused = MockServer::builder().without(["fork"]).unwrap_err();
/// assert!(matches!(refused, CapabilityError::Unknown { .. }));
/// println!("{refused}"); // names those that can
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CapabilityError {
    /// It does not exist.
    #[error("there is no capability {name:?}; choose from {}", Capability::optional().join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// No server works without it.
    #[error("no server works without the capability {name}; choose from {}", Capability::optional().join(", "))]
    Needed {
        /// What was asked for.
        name: String,
    },
}

impl Capabilities {
    /// Leaves one off, by its name on the wire.
    pub(crate) fn switch_off(&mut self, name: &str) -> Result<(), CapabilityError> {
        let entry = TABLE.iter().find(|entry| entry.id == name);
        let entry = entry.ok_or_else(|| CapabilityError::Unknown {
            name: name.to_owned(),
        })?;
        if entry.support == Support::Needed {
            return Err(CapabilityError::Needed {
                name: name.to_owned(),
            });
        }
        if !self.switched_off.contains(&entry.capability) {
            self.switched_off.push(entry.capability);
        }
        Ok(())
    }

    /// Whether requests that need it are run.
    pub(crate) fn has(&self, capability: Capability) -> bool {
        !self.switched_off.contains(&capability)
            && TABLE
                .iter()
                .any(|entry| entry.capability == capability && entry.support != Support::Absent)
    }

    /// Every capability and whether it is on, in the order in which they are listed.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Capability, bool)> {
        TABLE
            .iter()
            .map(|entry| (entry.capability, self.has(entry.capability)))
    }
}

impl Capability {
    /// The name on the wire.
    pub(crate) fn id(self) -> &'static str {
        TABLE
            .iter()
            .find(|entry| entry.capability == self)
            .map_or("", |entry| entry.id)
    }

    /// The names of those that can be switched off and are not off already.
    fn optional() -> Vec<&'static str> {
        let optional = TABLE.iter().filter(|entry| entry.support == Support::Optional);
        optional.map(|entry| entry.id).collect()
    }
}

struct Entry {
    capability: Capability,
    id: &'static str,
    support: Support,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Support {
    /// Always on.
    Needed,
    /// On unless it is switched off.
    Optional,
    /// This server does not have it.
    Absent,
}

const fn entry(capability: Capability, id: &'static str, support: Support) -> Entry {
    Entry {
        capability,
        id,
        support,
    }
}

const TABLE: [Entry; 15] = [
    entry(Capability::Sessions, "sessions", Support::Needed),
    entry(Capability::Runs, "runs", Support::Needed),
    entry(Capability::Threads, "threads", Support::Optional),
    entry(Capability::Interrupts, "interrupts", Support::Optional),
    entry(Capability::Waits, "waits", Support::Optional),
    entry(Capability::Outcomes, "outcomes", Support::Optional),
    entry(Capability::Previews, "previews", Support::Optional),
    entry(Capability::Forks, "forks", Support::Optional),
    entry(Capability::Diffs, "diffs", Support::Optional),
    entry(Capability::Checkpoints, "checkpoints", Support::Absent),
    entry(Capability::Watches, "watches", Support::Absent),
    entry(Capability::ProjectMounts, "project_mounts", Support::Absent),
    entry(Capability::MemoryMounts, "memory_mounts", Support::Absent),
    entry(Capability::Skills, "skills", Support::Absent),
    entry(Capability::PromptIntegrity, "prompt_integrity", Support::Optional),
];
