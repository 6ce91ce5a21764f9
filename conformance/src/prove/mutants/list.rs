use serde_json::Value;

use crate::prove::{
    mutant::Mutant,
    traffic::{Answer, Call, Edit},
};

pub(super) fn mutants() -> Vec<Mutant> {
    vec![
        Mutant::new("after-is-inclusive")
            .request(|call| shift_after(call, -1))
            .kills("srv.list.after-is-exclusive", "events above"),
        Mutant::new("after-skips-one")
            .request(|call| shift_after(call, 1))
            .kills("srv.list.after-is-exclusive", "the list after"),
        Mutant::new("page-loses-its-last")
            .answer(|call, answer| {
                if call.is_list() && call.parameter("limit") == Some("3") {
                    answer.edit_events(|events| {
                        events.pop();
                    });
                }
            })
            .kills("srv.list.page-size-does-not-matter", "the walk with pages of 3"),
        Mutant::new("page-overlaps")
            .answer(|call, answer| {
                if call.is_list() && call.parameter("limit") == Some("7") && call.parameter("page").is_some()
                {
                    answer.edit_events(|events| {
                        if let Some(first) = events.first().cloned() {
                            events.pop();
                            events.insert(0, first);
                        }
                    });
                }
            })
            .kills("srv.list.page-size-does-not-matter", "the walk with pages of 7"),
        Mutant::new("page-token-loops")
            .request(|call| {
                if call.parameter("limit") == Some("2") {
                    call.drop_parameter("page");
                }
            })
            .kills("srv.list.page-size-does-not-matter", "a walk that ends"),
        Mutant::new("prefers-after-to-page")
            .request(|call| {
                if call.parameter("after").is_some() {
                    call.drop_parameter("page");
                }
            })
            .kills("srv.list.page-and-after-conflict", "status 400"),
        Mutant::new("past-head-is-missing")
            .answer(|call, answer| {
                if is_empty_page(call, answer) {
                    answer.status = 404;
                }
            })
            .kills("srv.list.past-head-is-empty", "status 200"),
        Mutant::new("past-head-has-a-next-page")
            .answer(|call, answer| {
                if is_empty_page(call, answer) {
                    answer.edit(|page| page.put("/next_page", "and_so_on".into()));
                }
            })
            .kills("srv.list.past-head-is-empty", "an empty last page"),
        Mutant::new("ignores-limit")
            .request(|call| call.drop_parameter("limit"))
            .kills("srv.list.bad-parameters", "status 400"),
        Mutant::new("ignores-page")
            .request(|call| {
                if call.parameter("page") == Some("made-up") {
                    call.drop_parameter("page");
                }
            })
            .kills("srv.list.bad-parameters", "status 400"),
    ]
}

fn shift_after(call: &mut Call, by: i64) {
    let Some(after) = call
        .parameter("after")
        .and_then(|after| after.parse::<i64>().ok())
    else {
        return;
    };
    call.set_parameter("after", (after + by).max(0));
}

fn is_empty_page(call: &Call, answer: &Answer) -> bool {
    call.is_list()
        && answer.json()["data"]
            .as_array()
            .is_some_and(Vec::<Value>::is_empty)
}
