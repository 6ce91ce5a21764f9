use std::fmt;

use serde::de::{
    Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor,
};
use serde_json::value::RawValue;

/// The members of an object by their names, each still JSON. Of a repeated member the last one counts; whatever else
/// the object holds only has to be JSON, be it nested ever so deep or a number or a name that nothing can hold.
pub(crate) fn members<'j, const N: usize>(
    json: &'j str,
    names: [&str; N],
) -> Result<[Option<&'j RawValue>; N], serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let found = deserializer.deserialize_map(Members(names))?;
    deserializer.end()?;
    Ok(found)
}

/// A member that is not null, which often stands for none.
pub(crate) fn present(member: Option<&RawValue>) -> Option<&RawValue> {
    member.filter(|member| member.get() != "null")
}

/// A member that can be done without: a value of the wrong kind counts as absent.
pub(crate) fn optional<T: DeserializeOwned>(member: Option<&RawValue>) -> Option<T> {
    member.and_then(|member| serde_json::from_str(member.get()).ok())
}

/// A member that has to be there.
pub(crate) fn required<T: DeserializeOwned>(
    name: &'static str,
    member: Option<&RawValue>,
) -> Result<T, serde_json::Error> {
    use serde::de::Error;
    let member = member.ok_or_else(|| serde_json::Error::missing_field(name))?;
    serde_json::from_str(member.get()).map_err(|cause| Error::custom(format!("{name}: {cause}")))
}

/// Reads a member that a client can do without: a value of the wrong kind counts as absent.
pub(crate) fn lenient<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let raw = Box::<RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).ok())
}

/// The JSON of a resource as the server sent it, unknown members included.
#[derive(Debug, Clone)]
pub(crate) struct Raw(Box<RawValue>);

impl Raw {
    pub(crate) fn new(raw: Box<RawValue>) -> Self {
        Self(raw)
    }

    pub(crate) fn as_value(&self) -> &RawValue {
        &self.0
    }

    pub(crate) fn text(&self) -> &str {
        self.0.get()
    }
}

impl PartialEq for Raw {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

struct Members<'n, const N: usize>([&'n str; N]);

impl<'de, const N: usize> Visitor<'de> for Members<'_, N> {
    type Value = [Option<&'de RawValue>; N];

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut found = [None; N];
        while let Some(place) = object.next_key_seed(Place(&self.0))? {
            match place.and_then(|place| found.get_mut(place)) {
                Some(member) => *member = Some(object.next_value()?),
                None => {
                    object.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(found)
    }
}

/// The place of a name among the wanted ones. It is read as bytes, because a name may hold half a character, which no
/// text can.
struct Place<'n>(&'n [&'n str]);

impl<'de> DeserializeSeed<'de> for Place<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_bytes(self)
    }
}

impl Visitor<'_> for Place<'_> {
    type Value = Option<usize>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the name of a member")
    }

    fn visit_bytes<E: serde::de::Error>(self, name: &[u8]) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|wanted| wanted.as_bytes() == name))
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Self::Value, E> {
        self.visit_bytes(name.as_bytes())
    }
}
