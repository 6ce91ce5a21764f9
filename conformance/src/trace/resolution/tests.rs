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
    }
}

fn resolved(actor: Option<Actor>, ids: &[&str]) -> Resolution {
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
        row("unchecked", &[Actor::Server]),
        row("client", &[Actor::Client]),
        row("cli", &[Actor::Cli]),
    ];
    let judges = |id: &str| match id {
        "firm" => vec![("srv.a", Level::Assumed), ("srv.b", Level::Documented)],
        "soft" => vec![("srv.c", Level::Derived), ("srv.a", Level::Assumed)],
        "client" | "cli" => vec![("srv.d", Level::Documented)],
        _ => Vec::new(),
    };
    let ids = ids.iter().map(|id| (*id).to_owned()).collect();
    resolve_by(
        &sentence(actor, Claim::Requirements(ids)),
        |id| rows.iter().find(|row| row.id == id),
        judges,
    )
}

#[test]
fn the_checks_of_its_requirements_decide() {
    for (ids, state, checks, note) in [
        (&["firm"][..], State::Proven, &["srv.a", "srv.b"][..], ""),
        (&["firm", "client"], State::Proven, &["srv.a", "srv.b"], ""),
        (
            &["firm", "soft"],
            State::Covered,
            &["srv.a", "srv.b", "srv.c"],
            "soft only by less firm checks",
        ),
        (
            &["firm", "unchecked"],
            State::Pending,
            &["srv.a", "srv.b"],
            "no check of unchecked",
        ),
        (
            &["firm", "unknown"],
            State::Pending,
            &["srv.a", "srv.b"],
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
    assert_eq!(pending.checks, ["srv.stream.framing"]);
    let pending = resolve(&sentence(None, Claim::Pending("a clock".to_owned())));
    assert!(pending.checks.is_empty());
    assert_eq!(
        (pending.state, pending.note.as_str()),
        (State::Pending, "a clock")
    );
}
