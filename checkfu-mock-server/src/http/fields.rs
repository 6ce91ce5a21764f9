//! Reads the members of a request body one by one, so that a refusal names the member and the fix, and a member that
//! nobody asked for is an error.

use serde_json::{Map, Value};

use crate::wire::error::{ApiError, Code};

/// The members of one object that have not been read yet.
#[derive(Debug)]
pub(crate) struct Fields {
    path: String,
    members: Map<String, Value>,
}

impl Fields {
    /// The members of `value`, which stands at `path` (empty for the body itself).
    pub(crate) fn of(value: Value, path: &str) -> Result<Self, ApiError> {
        match value {
            Value::Object(members) => Ok(Self {
                path: path.to_owned(),
                members,
            }),
            other => Err(invalid(path, &format!("must be an object, not {}", kind(&other)))),
        }
    }

    /// A member that must be there.
    pub(crate) fn required(&mut self, name: &str) -> Result<Value, ApiError> {
        match self.optional(name) {
            Some(value) => Ok(value),
            None => Err(self.invalid(name, "is required")),
        }
    }

    /// A boolean that may be absent.
    pub(crate) fn optional_boolean(&mut self, name: &str) -> Result<Option<bool>, ApiError> {
        match self.optional(name) {
            None => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(value)),
            Some(other) => Err(self.invalid(name, &format!("must be a boolean, not {}", kind(&other)))),
        }
    }

    /// A whole number from 1 on, to `most` if there is one, that may be absent. As in JSON Schema, 2.0 is one. What is too
    /// large for 64 bits is the largest of these.
    pub(crate) fn optional_whole_number(
        &mut self,
        name: &str,
        most: Option<u64>,
    ) -> Result<Option<u64>, ApiError> {
        let Some(value) = self.optional(name) else {
            return Ok(None);
        };
        match whole(&value) {
            Some(number) if (1..=most.unwrap_or(u64::MAX)).contains(&number) => Ok(Some(number)),
            _ => {
                let end = most.map_or_else(|| "on".to_owned(), |most| format!("to {most}"));
                Err(self.invalid(name, &format!("must be a whole number from 1 {end}")))
            }
        }
    }

    /// A member that may be absent. Null is a value like any other, and no way to leave a member out.
    pub(crate) fn optional(&mut self, name: &str) -> Option<Value> {
        self.members.remove(name)
    }

    /// A text that must be there.
    pub(crate) fn required_text(&mut self, name: &str) -> Result<String, ApiError> {
        let value = self.required(name)?;
        self.text(name, value)
    }

    /// A text that may be absent.
    pub(crate) fn optional_text(&mut self, name: &str) -> Result<Option<String>, ApiError> {
        self.optional(name)
            .map(|value| self.text(name, value))
            .transpose()
    }

    /// An identifier that must be there.
    pub(crate) fn required_id<T>(
        &mut self,
        name: &str,
        prefix: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, ApiError> {
        let text = self.required_text(name)?;
        self.id(name, prefix, parse(&text))
    }

    /// An identifier that may be absent.
    pub(crate) fn optional_id<T>(
        &mut self,
        name: &str,
        prefix: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, ApiError> {
        match self.optional_text(name)? {
            None => Ok(None),
            Some(text) => self.id(name, prefix, parse(&text)).map(Some),
        }
    }

    /// A text that must be there and say something.
    pub(crate) fn required_word(&mut self, name: &str) -> Result<String, ApiError> {
        let text = self.required_text(name)?;
        if text.is_empty() {
            Err(self.invalid(name, "must not be empty"))
        } else {
            Ok(text)
        }
    }

    /// Refuses whatever was not read.
    pub(crate) fn finish(&self) -> Result<(), ApiError> {
        match self.members.keys().next() {
            None => Ok(()),
            Some(name) => Err(self.invalid(
                name,
                "is not a member of this request; check its spelling or leave it out",
            )),
        }
    }

    /// Where a member of this object stands.
    pub(crate) fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        }
    }

    /// A refusal that names a member of this object.
    pub(crate) fn invalid(&self, name: &str, problem: &str) -> ApiError {
        invalid(&self.path_of(name), problem)
    }

    fn id<T>(&self, name: &str, prefix: &str, parsed: Option<T>) -> Result<T, ApiError> {
        parsed.ok_or_else(|| {
            self.invalid(
                name,
                &format!("must be {prefix} followed by 32 lower-case hexadecimal digits"),
            )
        })
    }

    fn text(&self, name: &str, value: Value) -> Result<String, ApiError> {
        match value {
            Value::String(text) => Ok(text),
            other => Err(self.invalid(name, &format!("must be a string, not {}", kind(&other)))),
        }
    }
}

/// A refusal that names the place in the body.
pub(crate) fn invalid(path: &str, problem: &str) -> ApiError {
    let error = if path.is_empty() {
        ApiError::new(Code::InvalidBody, format!("the request body {problem}"))
    } else {
        ApiError::new(Code::InvalidBody, format!("{path} {problem}"))
    };
    if path.is_empty() {
        error
    } else {
        error.with_param(path)
    }
}

fn whole(value: &Value) -> Option<u64> {
    if let Some(number) = value.as_u64() {
        return Some(number);
    }
    let number = value
        .as_f64()
        .filter(|number| number.fract() == 0.0 && *number >= 0.0)?;
    Some(format!("{number:.0}").parse().unwrap_or(u64::MAX))
}

/// A JSON type in words.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
