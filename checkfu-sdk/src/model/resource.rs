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

        #[derive(Debug, Clone, PartialEq)]
        struct Members {
            id: $id,
            $($value: Option<$value_type>,)*
            $($reference: Option<$reference_type>,)*
            $($text: Option<String>,)*
        }

        impl Members {
            fn read(json: &str) -> Result<Self, serde_json::Error> {
                use $crate::model::json::{members, optional, required};
                let names = [
                    "id",
                    $(stringify!($value),)*
                    $(stringify!($reference),)*
                    $(stringify!($text),)*
                ];
                let [id, $($value,)* $($reference,)* $($text,)*] = members(json, names)?;
                Ok(Self {
                    id: required("id", id)?,
                    $($value: optional($value),)*
                    $($reference: optional($reference),)*
                    $($text: optional($text),)*
                })
            }
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
                let members = Members::read(raw.get()).map_err(serde::de::Error::custom)?;
                Ok(Self { members, raw: $crate::model::json::Raw::new(raw) })
            }
        }
    };
}

pub(crate) use resource;
