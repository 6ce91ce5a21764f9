use serde_json::{Map, Value};

use crate::prove::{
    mutant::Mutant,
    traffic::{Call, Edit},
};

pub(super) fn mutants() -> Vec<Mutant> {
    let check = "srv.session.labels-kept";
    vec![
        Mutant::new("trims-titles")
            .request(|call| {
                edit_creation(call, |session| {
                    let title = session["title"].as_str().unwrap_or_default().trim().to_owned();
                    session.put("/title", title.into());
                });
            })
            .kills(check, "/title to be"),
        labelling("labels-in-lower-case", |labels| {
            let lower = std::mem::take(labels).into_iter();
            *labels = lower.map(|(name, value)| (name.to_lowercase(), value)).collect();
        })
        .kills(check, "/metadata/Team to be"),
        labelling("cuts-labels", |labels| {
            for value in labels.values_mut() {
                let cut: String = value.as_str().unwrap_or_default().chars().take(500).collect();
                *value = cut.into();
            }
        })
        .kills(check, "to be \"vvv"),
        labelling("forgets-empty-labels", |labels| {
            labels.retain(|_, value| value != "")
        })
        .kills(check, "/metadata/team to be"),
        labelling("keeps-ten-labels", |labels| {
            let kept = std::mem::take(labels).into_iter().take(10);
            *labels = kept.collect();
        })
        .kills(check, "/metadata/"),
    ]
}

/// Takes Sessions with their labels changed in this way.
fn labelling(name: &'static str, change: fn(&mut Map<String, Value>)) -> Mutant {
    Mutant::new(name).request(move |call| {
        edit_creation(call, |session| {
            if let Some(labels) = session.get_mut("metadata").and_then(Value::as_object_mut) {
                change(labels);
            }
        });
    })
}

fn edit_creation(call: &mut Call, change: impl FnOnce(&mut Value)) {
    let mut body = call.json();
    if call.is_creation() && body.is_object() {
        change(&mut body);
        call.set_json(&body);
    }
}
