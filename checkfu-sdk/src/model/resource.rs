/// Declares a resource. Only its id is needed to read one; a member that is missing or of another kind than documented is
/// `None`, and the JSON is kept as it came. A file holds one resource, since the members have a type of their own in it.
macro_rules! resource {
    (
        $(#[$meta:meta])*
        $name:ident($id:ty) {
            values { $($(#[$value_meta:meta])* $value:ident: $value_type:ty,)* }
            references { $($(#[$reference_meta:meta])* $reference:ident: $reference_type:ty,)* }
            texts { $($(#[$text_meta:meta])* $text:ident,)* }
        }
    ) => {
        $(#[$meta])*
        ///
        /// Only `id` is needed to read one; a member that is missing or of another kind than documented is `None`. The
        /// JSON is kept as it came.
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            members: Members,
            raw: $crate::model::json::Raw,
        }

        #[derive(Debug, Clone, PartialEq, serde::Deserialize)]
        struct Members {
            id: $id,
            $(#[serde(default, deserialize_with = "crate::model::lenient")] $value: Option<$value_type>,)*
            $(#[serde(default, deserialize_with = "crate::model::lenient")] $reference: Option<$reference_type>,)*
            $(#[serde(default, deserialize_with = "crate::model::lenient")] $text: Option<String>,)*
        }

        impl $name {
            /// The id.
            pub fn id(&self) -> &$id {
                &self.members.id
            }

            $($(#[$value_meta])* pub fn $value(&self) -> Option<$value_type> {
                self.members.$value
            })*

            $($(#[$reference_meta])* pub fn $reference(&self) -> Option<&$reference_type> {
                self.members.$reference.as_ref()
            })*

            $($(#[$text_meta])* pub fn $text(&self) -> Option<&str> {
                self.members.$text.as_deref()
            })*

            /// The JSON, as the server sent it.
            pub fn raw_json(&self) -> &str {
                self.raw.text()
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.raw.as_value().serialize(serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let raw = Box::<serde_json::value::RawValue>::deserialize(deserializer)?;
                let members = serde_json::from_str(raw.get()).map_err(serde::de::Error::custom)?;
                Ok(Self { members, raw: $crate::model::json::Raw::new(raw) })
            }
        }
    };
}

pub(crate) use resource;
