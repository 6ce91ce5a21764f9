use sqlx::AssertSqlSafe;

use super::error::SqlxCursorError;

/// The name in the published SQL.
const TABLE: &str = "checkfu_cursors";
const SCHEMA_SUFFIX: &str = "_schema";

/// A longer identifier is cut off by PostgreSQL, and the name of the table of versions must still differ.
const LONGEST: usize = 63 - SCHEMA_SUFFIX.len();

/// The names of a store's two tables. Only letters, digits and underscores pass, and they are quoted all the same, so
/// that a word of SQL is a name like any other.
#[derive(Debug, Clone)]
pub(in crate::cursor) struct Table {
    /// The namespace that holds the tables, where the name says one.
    namespace: Option<String>,
    table: String,
    name: String,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            namespace: None,
            table: TABLE.to_owned(),
            name: TABLE.to_owned(),
        }
    }
}

impl Table {
    /// A table in the database's default namespace.
    pub(in crate::cursor) fn plain(name: String) -> Result<Self, SqlxCursorError> {
        check(&name, &name)?;
        Ok(Self {
            namespace: None,
            table: name.clone(),
            name,
        })
    }

    /// A table whose name may begin with a namespace and a dot.
    #[cfg(feature = "sqlx-postgres")]
    pub(in crate::cursor) fn qualified(name: String) -> Result<Self, SqlxCursorError> {
        let Some((namespace, table)) = name.split_once('.') else {
            return Self::plain(name);
        };
        check(namespace, &name)?;
        check(table, &name)?;
        Ok(Self {
            namespace: Some(namespace.to_owned()),
            table: table.to_owned(),
            name,
        })
    }

    /// The name as it was given.
    pub(in crate::cursor) fn name(&self) -> &str {
        &self.name
    }

    /// The names of the two tables without their namespace, of cursors and of versions.
    #[cfg(feature = "sqlx-sqlite")]
    pub(in crate::cursor) fn names(&self) -> [String; 2] {
        [self.table.clone(), format!("{}{SCHEMA_SUFFIX}", self.table)]
    }

    /// The quoted names of the two tables, of cursors and of versions.
    pub(in crate::cursor) fn quoted(&self) -> [String; 2] {
        let namespace = self.namespace.as_ref();
        let namespace = namespace.map_or_else(String::new, |namespace| format!("\"{namespace}\"."));
        ["", SCHEMA_SUFFIX].map(|suffix| format!("{namespace}\"{}{suffix}\"", self.table))
    }

    /// Published SQL, or a statement written like it, with this store's names in place of the default ones.
    pub(in crate::cursor) fn text(&self, template: &str) -> String {
        let [cursors, versions] = self.quoted();
        template
            .replace(&format!("\"{TABLE}{SCHEMA_SUFFIX}\""), &versions)
            .replace(&format!("\"{TABLE}\""), &cursors)
    }

    /// The same as a statement to run.
    pub(in crate::cursor) fn sql(&self, template: &str) -> AssertSqlSafe<String> {
        AssertSqlSafe(self.text(template))
    }
}

fn check(part: &str, name: &str) -> Result<(), SqlxCursorError> {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let begins_well = part.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
    let reason = if !begins_well || !part.bytes().all(word) {
        "must be letters, digits and underscores, and not begin with a digit"
    } else if part.len() > LONGEST {
        "must be no longer than 56 bytes"
    } else {
        return Ok(());
    };
    Err(SqlxCursorError::InvalidTable {
        table: name.to_owned(),
        reason,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name is as long as PostgreSQL keeps it, with the suffix of the table of versions.
    #[test]
    fn a_name_leaves_room_for_its_suffix() {
        let name = |length: usize| "n".repeat(length);
        assert_eq!(
            Table::plain(name(56)).unwrap().quoted()[1].len(),
            63 + "\"\"".len()
        );
        assert!(Table::plain(name(57)).is_err());
    }

    /// A namespace stands apart from the name, and each is checked.
    #[cfg(feature = "sqlx-postgres")]
    #[test]
    fn a_namespace_stands_apart() {
        let table = Table::qualified("app.cursors".to_owned()).unwrap();
        assert_eq!(table.name(), "app.cursors");
        assert_eq!(
            table.quoted(),
            [r#""app"."cursors""#, r#""app"."cursors_schema""#]
        );
        let plain = Table::qualified("cursors".to_owned()).unwrap();
        assert_eq!(plain.quoted(), [r#""cursors""#, r#""cursors_schema""#]);
        for bad in ["app.", ".cursors", "a.b.c", "1.cursors"] {
            assert!(Table::qualified(bad.to_owned()).is_err(), "{bad}");
        }
    }
}
