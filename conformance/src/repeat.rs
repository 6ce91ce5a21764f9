use crate::{limits::Limits, plan::Plan, stimulus::Stimulus};

/// The command that judges as this plan does; it takes the key, and the token of a control side, from the environment.
pub(crate) fn command(plan: &Plan) -> String {
    command_named("server", plan)
}

/// The same of `model`.
pub(crate) fn model_command(plan: &Plan) -> String {
    command_named("model", plan)
}

fn command_named(name: &str, plan: &Plan) -> String {
    let target = &plan.target;
    let mut words = vec![format!(
        "checkfu-conformance {name} --url {} --profile {}",
        target.url, plan.profile
    )];
    let mut flag = |name: &str, value: &str| words.push(format!("--{name} {}", quoted(value)));
    flag("principal", &target.principal);
    for (name, value) in [
        ("agent-deployment", &target.deployment),
        ("workspace", &target.workspace),
    ] {
        if let Some(value) = value {
            flag(name, value);
        }
    }
    for (kind, id) in &target.agents {
        flag("agent", &format!("{kind}={id}"));
    }
    for id in &target.sessions {
        flag("session", id);
    }
    if let Some(control) = &target.control {
        flag("control", &control.url);
    }
    for (id, claim) in &plan.claims {
        flag("capability", &format!("{id}={claim}"));
    }
    if plan.stimulus != Stimulus::Work {
        flag("stimulus", plan.stimulus.name());
    }
    let usual = Limits::default();
    for (name, limit, usual) in [
        ("answer-timeout", plan.limits.answer, usual.answer),
        ("turn-timeout", plan.limits.turn, usual.turn),
        ("silence", plan.limits.silence, usual.silence),
    ] {
        if limit != usual {
            flag(name, &limit.as_secs_f64().to_string());
        }
    }
    for (name, is_set) in [("strict", plan.strict), ("disturbed", target.disturbed)] {
        if is_set {
            words.push(format!("--{name}"));
        }
    }
    target.key.redact(&words.join(" "))
}

/// The same for some of its checks.
pub(crate) fn command_for<'p>(plan: &Plan, only: impl IntoIterator<Item = &'p str>) -> String {
    let only = only.into_iter().map(|id| format!(" --only {}", quoted(id)));
    command(plan) + &only.collect::<String>()
}

/// A word as a shell takes it.
pub(crate) fn quoted(value: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_=.:/,@[]".contains(&byte);
    match !value.is_empty() && value.bytes().all(plain) {
        true => value.to_owned(),
        false => format!("'{}'", value.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{capability::Claim, target::Target};

    #[test]
    fn whatever_changes_the_judgement_is_in_the_command_and_the_key_is_not() {
        let target = Target::new("http://host", "ck_0123456789", "prin_1").unwrap();
        let target = target
            .with_deployment(Some("adep_1".to_owned()))
            .with_workspace(Some("a b'c".to_owned()))
            .with_agent(crate::AgentKind::Slow, "adep_2")
            .with_sessions(["sess_1"])
            .unwrap()
            .with_disturbance(true);
        let limits = Limits {
            turn: std::time::Duration::from_millis(1500),
            silence: std::time::Duration::from_secs(20),
            ..Limits::default()
        };
        let plan = Plan::new(target).with_strict(true).with_limits(limits);
        let plan = plan.with_claim("threads", Claim::Off).unwrap();
        assert_eq!(
            command_for(&plan, ["srv.list.*"]),
            "checkfu-conformance server --url http://host --profile published --principal prin_1 \
             --agent-deployment adep_1 --workspace 'a b'\\''c' --agent slow=adep_2 --session sess_1 \
             --capability threads=off --turn-timeout 1.5 --silence 20 --strict --disturbed --only 'srv.list.*'"
        );
    }
}
