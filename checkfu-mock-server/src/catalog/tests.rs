//! The catalog over a real database.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};

use rusqlite::Connection;

use super::error::{PrincipalError, PublishError};
use super::principal::APPROVE;
use super::{Catalog, Target};
use crate::core::id::{PrincipalId, WorkspaceId};
use crate::core::moment::Moment;
use crate::ledger::entropy::SystemEntropy;

const MINE: &str = "name: mine\nrules: [{input: message, steps: [{say: one}]}]\n";
const NEXT: &str = "name: mine\nsettings: {max_duration_seconds: 60}\nroster: {child: {rules: [{input: message, steps: \
                    [{report: x}]}]}}\nrules: [{input: message, steps: [{say: two}]}]\n";

struct Database {
    connection: Arc<Mutex<Connection>>,
}

impl Database {
    fn open(path: &Path) -> Self {
        let connection = Arc::new(Mutex::new(Connection::open(path).unwrap()));
        Self { connection }
    }

    fn catalog(&self) -> Catalog {
        let known = [PrincipalId::from_number(1), PrincipalId::from_number(2)];
        Catalog::open(&self.connection, &WorkspaceId::from_number(1), &known).unwrap()
    }
}

fn now() -> Moment {
    Moment::from_milliseconds(1_788_300_000_000)
}

fn publish(catalog: &Catalog, target: Target<'_>, yaml: &str) -> Result<(String, u32), PublishError> {
    let (id, number) = catalog.publish(target, yaml, now(), &mut SystemEntropy)?;
    Ok((id.to_string(), number))
}

/// SES-11, SES-12: what is published is a new deployment or the next revision of one, the revisions before it stay as they
/// were, and all of it is there after the database is opened again.
#[test]
fn published_revisions_are_immutable_and_survive_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log");
    let database = Database::open(&path);
    let catalog = database.catalog();
    let before = catalog.deployments().len();
    let (id, first) = publish(&catalog, Target::OwnName, MINE).unwrap();
    let pinned = catalog.deployment(&id).unwrap();
    assert_eq!((first, pinned.name.as_str()), (1, "mine"));
    assert_eq!(
        publish(&catalog, Target::Name("mine"), NEXT).unwrap(),
        (id.clone(), 2)
    );
    assert_eq!(
        publish(&catalog, Target::Deployment(&id), MINE).unwrap(),
        (id.clone(), 3)
    );
    let (other, _) = publish(&catalog, Target::Name("other"), MINE).unwrap();
    assert_ne!(other, id);
    let told = |catalog: &Catalog| format!("{:?}", catalog.deployments());
    let all = told(&catalog);
    drop((catalog, database));
    let database = Database::open(&path);
    let catalog = database.catalog();
    assert_eq!(told(&catalog), all);
    assert_eq!(catalog.deployments().len(), before + 2);
    let deployment = catalog.deployment(&id).unwrap();
    let numbers: Vec<u32> = deployment
        .revisions
        .iter()
        .map(|revision| revision.number)
        .collect();
    assert_eq!(numbers, [1, 2, 3]);
    let versions: Vec<&serde_json::Value> = deployment
        .revisions
        .iter()
        .map(|revision| &revision.agent.sandbox_profile["version"])
        .collect();
    assert_eq!(
        versions,
        [1, 2, 3],
        "another time limit is another version of the profile"
    );
    assert_eq!(deployment.revisions[1].roster.len(), 1);
    assert_eq!(deployment.current().unwrap().number, 3);
    let scenario = catalog.scenario(&deployment.id, 2).unwrap();
    assert_eq!(scenario.max_duration_seconds, 60);
    assert!(catalog.scenario(&deployment.id, 4).is_none());
}

/// A built-in deployment gets further revisions like any other; its own stay in front.
#[test]
fn built_in_deployments_can_be_published_to() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log");
    let plain = {
        let database = Database::open(&path);
        let catalog = database.catalog();
        let plain = catalog.deployments()[0].id.to_string();
        assert_eq!(
            publish(&catalog, Target::Name("plain"), MINE).unwrap(),
            (plain.clone(), 3)
        );
        plain
    };
    let database = Database::open(&path);
    let deployment = database.catalog().deployment(&plain).unwrap();
    assert_eq!(deployment.current().unwrap().scenario.name, "mine");
    assert_eq!(deployment.revision(2).unwrap().scenario.name, "plain");
}

#[test]
fn what_is_refused_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let database = Database::open(&directory.path().join("log"));
    let catalog = database.catalog();
    let before = format!("{:?}", catalog.deployments());
    let unknown = "adep_00000000000000000000000000000fff";
    for (target, yaml, says) in [
        (Target::OwnName, "name: x", "rules is missing"),
        (Target::Name("a b"), MINE, "letters, digits"),
        (Target::Deployment(unknown), MINE, "publish under a name"),
    ] {
        let error = publish(&catalog, target, yaml).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
    assert_eq!(format!("{:?}", catalog.deployments()), before);
    let permissions = BTreeSet::from(["no permission".to_owned()]);
    let error = catalog
        .set_principal(&PrincipalId::from_number(1), permissions)
        .unwrap_err();
    assert!(matches!(error, PrincipalError::Permission { .. }), "{error}");
    assert!(catalog.may(&PrincipalId::from_number(1), APPROVE));
}

/// WAIT-5: a Principal may approve as long as it has the permission; what was changed or removed stays so after a restart,
/// even where the server is told of the Principal again.
#[test]
fn authority_is_what_it_is_now_and_survives_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log");
    let [one, two, three] = [1, 2, 3].map(PrincipalId::from_number);
    {
        let database = Database::open(&path);
        let catalog = database.catalog();
        assert!(catalog.may(&one, APPROVE) && catalog.may(&two, APPROVE));
        assert!(!catalog.has_principal(&three) && !catalog.may(&three, APPROVE));
        catalog.set_principal(&one, BTreeSet::new()).unwrap();
        assert!(catalog.has_principal(&one) && !catalog.may(&one, APPROVE));
        assert!(catalog.remove_principal(&two).unwrap());
        assert!(!catalog.remove_principal(&two).unwrap());
        catalog
            .set_principal(&three, BTreeSet::from([APPROVE.to_owned()]))
            .unwrap();
    }
    let database = Database::open(&path);
    let catalog = database.catalog();
    assert!(catalog.has_principal(&one) && !catalog.may(&one, APPROVE));
    assert!(!catalog.has_principal(&two));
    assert!(catalog.may(&three, APPROVE));
    assert_eq!(catalog.principals().len(), 2);
}

/// Once the server has let go of its database nothing is written any more.
#[test]
fn a_closed_server_refuses_changes() {
    let directory = tempfile::tempdir().unwrap();
    let database = Database::open(&directory.path().join("log"));
    let catalog = database.catalog();
    drop(database);
    let error = publish(&catalog, Target::OwnName, MINE).unwrap_err().to_string();
    assert!(error.contains("shutting down"), "{error}");
}
