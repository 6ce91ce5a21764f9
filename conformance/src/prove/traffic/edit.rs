use serde_json::Value;

/// Changes to JSON by pointer; what has another shape than the pointer says stays as it is.
pub(crate) trait Edit {
    /// Sets a member, and makes the objects on the way that are missing or null.
    fn put(&mut self, pointer: &str, value: Value);

    /// Adds to a number.
    fn add(&mut self, pointer: &str, more: u64);

    /// Takes a member out.
    fn drop_at(&mut self, pointer: &str);
}

impl Edit for Value {
    fn put(&mut self, pointer: &str, value: Value) {
        let mut place = self;
        for token in pointer.split('/').skip(1) {
            if place.is_null() {
                *place = Value::Object(serde_json::Map::new());
            }
            let next = match place {
                Value::Object(members) => Some(members.entry(token).or_insert(Value::Null)),
                Value::Array(items) => token.parse().ok().and_then(|index: usize| items.get_mut(index)),
                _ => None,
            };
            let Some(next) = next else { return };
            place = next;
        }
        *place = value;
    }

    fn add(&mut self, pointer: &str, more: u64) {
        if let Some(number) = self.pointer(pointer).and_then(Value::as_u64) {
            self.put(pointer, number.saturating_add(more).into());
        }
    }

    fn drop_at(&mut self, pointer: &str) {
        if let Some((parent, name)) = pointer.rsplit_once('/')
            && let Some(members) = self.pointer_mut(parent).and_then(Value::as_object_mut)
        {
            members.remove(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_has_another_shape_stays_as_it_is() {
        for shape in [
            json!("text"),
            json!([]),
            json!({"a": 1}),
            json!({"a": ["b"]}),
            json!(null),
        ] {
            let mut edited = shape.clone();
            edited.add("/a/b", 1);
            edited.drop_at("/a/b");
            assert_eq!(edited, shape);
            if !shape.is_null() {
                edited.put("/a/b/c", 1.into());
                assert_eq!(edited, shape);
            }
        }
    }

    #[test]
    fn members_are_set_counted_and_taken_out() {
        let mut value = json!({"list": [{"seq": 1}], "gone": {"a": 1, "b": 2}});
        value.put("/list/0/type", "x".into());
        value.put("/new/part", true.into());
        value.add("/list/0/seq", 2);
        value.drop_at("/gone/a");
        let expected = json!({"list": [{"seq": 3, "type": "x"}], "gone": {"b": 2}, "new": {"part": true}});
        assert_eq!(value, expected);
    }
}
