use super::*;
use crate::trace::sentence::Kind;

fn sentence(actor: Option<Actor>, claim: Claim) -> Sentence {
    Sentence {
        id: "S-page-001".to_owned(),
        page: "page".to_owned(),
        hash: String::new(),
        kind: Kind::Normative,
        level: Level::Documented,
        actor,
        paraphrase: String::new(),
        claim,
        shown_by: None,
    }
}

fn resolved(actor: Option<Actor>, ids: &[&str]) -> Resolution {
    resolved_by(actor, ids, None)
}

fn resolved_by(actor: Option<Actor>, ids: &[&str], shown_by: Option<&[&str]>) -> Resolution {
    let row = |id: &str, actors: &[Actor]| Requirement {
        id: id.to_owned(),
        level: Level::Documented,
        actors: actors.to_vec(),
        source: "page".to_owned(),
        statement: String::new(),
    };
    let rows = [
        row("firm", &[Actor::Server]),
        row("soft", &[Actor::Server, Actor::Client]),
        row("mixed", &[Actor::Server]),
        Requirement {
            level: Level::Assumed,
            ..row("decision", &[Actor::Server])
        },
        row("unchecked", &[Actor::Server]),
        row("client", &[Actor::Client]),
        row("cli", &[Actor::Cli]),
    ];
    let judges = |id: &str| match id {
        "firm" => vec![("srv.e", Level::Derived), ("srv.b", Level::Documented)],
        "soft" => vec![("srv.c", Level::Derived), ("srv.a", Level::Assumed)],
        "mixed" => vec![("srv.a", Level::Assumed), ("srv.b", Level::Documented)],
        "decision" => vec![("srv.a", Level::Assumed)],
        "client" | "cli" => vec![("srv.d", Level::Documented)],
        _ => Vec::new(),
    };
    let ids = ids.iter().map(|id| (*id).to_owned()).collect();
    let shown_by = shown_by.map(|checks| checks.iter().map(|check| (*check).to_owned()).collect());
    resolve_by(
        &Sentence {
            shown_by,
            ..sentence(actor, Claim::Requirements(ids))
        },
        |id| rows.iter().find(|row| row.id == id),
        judges,
    )
}

#[test]
fn the_checks_of_its_requirements_decide() {
    for (ids, state, checks, note) in [
        (&["firm"][..], State::Proven, &["srv.e", "srv.b"][..], ""),
        (&["firm", "client"], State::Proven, &["srv.e", "srv.b"], ""),
        (
            &["firm", "soft"],
            State::Covered,
            &["srv.e", "srv.b", "srv.c", "srv.a"],
            "soft only at level C",
        ),
        (
            &["firm", "unchecked"],
            State::Pending,
            &["srv.e", "srv.b"],
            "no check of unchecked",
        ),
        (
            &["firm", "unknown"],
            State::Pending,
            &["srv.e", "srv.b"],
            "no check of unknown",
        ),
    ] {
        let found = resolved(None, ids);
        assert_eq!(
            (found.state, &found.checks[..], found.note.as_str()),
            (state, checks, note),
            "{ids:?}"
        );
    }
}

/// The firm check of one part does not prove another part, which only a less firm one judges.
#[test]
fn what_the_reference_picks_proves_no_documented_sentence() {
    for (ids, shown_by, state, checks, note) in [
        (
            &["mixed"][..],
            None,
            State::Covered,
            &["srv.a", "srv.b"][..],
            "the row does not say which checks of mixed show it",
        ),
        (&["mixed"], Some(&["srv.b"][..]), State::Proven, &["srv.b"], ""),
        (
            &["mixed"],
            Some(&["srv.a"]),
            State::Covered,
            &["srv.a"],
            "mixed only at level A",
        ),
        (
            &["mixed"],
            Some(&["srv.b", "srv.a"]),
            State::Covered,
            &["srv.a", "srv.b"],
            "a part only by `srv.a` at level A",
        ),
        (
            &["firm", "decision"],
            None,
            State::Covered,
            &["srv.e", "srv.b", "srv.a"],
            "decision only at level A",
        ),
        (
            &["mixed", "soft"],
            Some(&["srv.b"]),
            State::Pending,
            &["srv.b"],
            "no check of soft",
        ),
    ] {
        let found = resolved_by(None, ids, shown_by);
        assert_eq!(
            (found.state, &found.checks[..], found.note.as_str()),
            (state, checks, note),
            "{ids:?} {shown_by:?}"
        );
    }
}

#[test]
fn what_no_server_has_to_show_is_excluded_whatever_is_checked() {
    for (actor, ids, part) in [
        (None, &["client"][..], "a client's"),
        (None, &["cli"], "the command line's"),
        (Some(Actor::Client), &["soft", "firm"], "a client's"),
        (None, &[], "no requirement"),
    ] {
        let found = resolved(actor, ids);
        assert_eq!(found.state, State::Excluded, "{ids:?}");
        assert!(
            found.checks.is_empty() && found.note.contains(part),
            "{ids:?}: {}",
            found.note
        );
    }
    assert_eq!(resolved(Some(Actor::Server), &["soft"]).state, State::Covered);
}

#[test]
fn a_written_reason_stands_as_it_is() {
    let excluded = resolve(&sentence(None, Claim::Excluded("no criterion".to_owned())));
    assert_eq!(
        (excluded.state, excluded.note.as_str()),
        (State::Excluded, "no criterion")
    );
    let excluded = resolve(&sentence(None, Claim::Excluded("no more than STR-3".to_owned())));
    assert!(excluded.checks.is_empty());
    let pending = resolve(&sentence(
        None,
        Claim::Pending("a part of (STR-3), STR-3x".to_owned()),
    ));
    let of_it = crate::checks().filter(|check| check.requirements().contains(&"STR-3"));
    let of_it = Vec::from_iter(of_it.map(crate::check::Check::id));
    assert!(of_it.contains(&"srv.stream.framing") && !of_it.contains(&"srv.stream.equals-list"));
    assert_eq!(pending.checks, of_it);
    let pending = resolve(&sentence(None, Claim::Pending("a clock".to_owned())));
    assert!(pending.checks.is_empty());
    assert_eq!(
        (pending.state, pending.note.as_str()),
        (State::Pending, "a clock")
    );
}
