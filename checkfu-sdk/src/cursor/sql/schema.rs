use super::error::SqlxCursorError;
use super::table::Table;

/// The published SQL of a store: its tables, and the steps that lead from one version to the next.
#[derive(Debug)]
pub(in crate::cursor) struct Schema {
    /// The tables of the newest version.
    pub(in crate::cursor) tables: &'static str,
    /// The first leads from version 1 to version 2.
    pub(in crate::cursor) upgrades: &'static [&'static str],
}

impl Schema {
    /// The newest version.
    fn version(&self) -> i64 {
        i64::try_from(self.upgrades.len()).map_or(i64::MAX, |upgrades| upgrades.saturating_add(1))
    }

    /// What brings tables of the version `found` to the newest one, in this order; `None` is a database without them.
    pub(in crate::cursor) fn steps(&self, found: Option<i64>) -> &[&'static str] {
        let Some(found) = found else {
            return std::slice::from_ref(&self.tables);
        };
        let done = usize::try_from(found.saturating_sub(1)).unwrap_or_default();
        self.upgrades.get(done..).unwrap_or_default()
    }

    /// Makes sure that tables of this version are the newest; `None` is a database without them.
    pub(in crate::cursor) fn check(&self, table: &Table, found: Option<i64>) -> Result<(), SqlxCursorError> {
        let table = table.name().to_owned();
        match found {
            None => Err(SqlxCursorError::MissingTable { table }),
            Some(found) if found == self.version() => Ok(()),
            Some(found) => Err(SqlxCursorError::SchemaVersion {
                table,
                found,
                known: self.version(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: Schema = Schema {
        tables: "newest",
        upgrades: &["to 2", "to 3"],
    };

    /// A new database gets the newest tables at once, an older one only the steps that it lacks, a newer one none.
    #[test]
    fn steps_lead_from_any_version_to_the_newest() {
        let cases: [(Option<i64>, &[&str]); 5] = [
            (None, &["newest"]),
            (Some(1), &["to 2", "to 3"]),
            (Some(2), &["to 3"]),
            (Some(3), &[]),
            (Some(9), &[]),
        ];
        for (found, steps) in cases {
            assert_eq!(SCHEMA.steps(found), steps, "{found:?}");
        }
    }

    /// Only the newest version passes; the error says what to do.
    #[test]
    fn only_the_newest_version_passes() {
        let told = |found| SCHEMA.check(&Table::default(), found).unwrap_err().to_string();
        assert!(SCHEMA.check(&Table::default(), Some(3)).is_ok());
        assert!(told(None).contains("is missing: call `migrate`"));
        assert!(told(Some(2)).ends_with("needs version 3: call `migrate`, or run the published upgrades"));
        assert!(told(Some(4)).ends_with("needs version 3: use a newer release of it"));
    }
}
