use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::json::{members, optional};

/// Why a turn stopped (`A-STOP`).
///
/// It is read from a string, from an object with a `type`, and from anything else as [`StopReason::Unreadable`].
/// Null and absent are `None` where the reason is optional.
///
/// ```
/// use checkfu_sdk::StopReason;
///
/// let plain: StopReason = serde_json::from_str(r#""requires_action""#)?;
/// let object: StopReason = serde_json::from_str(r#"{"type": "requires_action"}"#)?;
/// assert!(plain.is_requires_action() && object.is_requires_action());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StopReason {
    /// The Agent finished its turn.
    EndTurn,
    /// A Run waits for a matching response, or went on after one. The only reason that settles nothing.
    RequiresAction,
    /// The bounded retries of a thread were used up.
    RetriesExhausted,
    /// The Run failed.
    RunFailed,
    /// A budget was reached.
    BudgetReached,
    /// The Agent refused.
    Refusal,
    /// A reason that this version does not know.
    Other(Box<str>),
    /// A value that is neither a string nor an object with a `type`: its JSON text.
    Unreadable(Box<str>),
}

impl StopReason {
    /// Whether this is the one reason after which a follower goes on.
    pub fn is_requires_action(&self) -> bool {
        *self == Self::RequiresAction
    }

    /// The reason as text; the JSON text if it could not be read.
    pub fn as_str(&self) -> &str {
        match self {
            Self::EndTurn => "end_turn",
            Self::RequiresAction => "requires_action",
            Self::RetriesExhausted => "retries_exhausted",
            Self::RunFailed => "run_failed",
            Self::BudgetReached => "budget_reached",
            Self::Refusal => "refusal",
            Self::Other(text) | Self::Unreadable(text) => text,
        }
    }

    /// Reads a reason in whichever form it stands; null is `None`. Of an object only the `type` has to be readable.
    pub(crate) fn read(raw: &RawValue) -> Option<Self> {
        serde_json::from_str(raw.get()).unwrap_or_else(|_| {
            let named = members(raw.get(), ["type"])
                .ok()
                .and_then(|[name]| optional::<String>(name));
            Some(named.map_or_else(|| Self::Unreadable(raw.get().into()), |name| Self::from(&*name)))
        })
    }
}

impl From<&str> for StopReason {
    fn from(text: &str) -> Self {
        match text {
            "end_turn" => Self::EndTurn,
            "requires_action" => Self::RequiresAction,
            "retries_exhausted" => Self::RetriesExhausted,
            "run_failed" => Self::RunFailed,
            "budget_reached" => Self::BudgetReached,
            "refusal" => Self::Refusal,
            other => Self::Other(other.into()),
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Serialize for StopReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unreadable(text) => match serde_json::from_str::<Value>(text) {
                Ok(value) => value.serialize(serializer),
                Err(_) => serializer.serialize_str(text),
            },
            known => serializer.serialize_str(known.as_str()),
        }
    }
}

impl<'de> Deserialize<'de> for StopReason {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let name = value.as_str().or_else(|| value.get("type")?.as_str());
        Ok(name.map_or_else(|| Self::Unreadable(value.to_string().into()), Self::from))
    }
}
