use crate::{capability::Claim, plan::Plan, target::Target};

/// A plan whose operator says that the server has threads, as the sound one does: then it has to.
pub(super) fn claiming(target: Target) -> Plan {
    let plan = Plan::new(target);
    let claimed = plan.clone().with_claim("threads", Claim::On);
    claimed.unwrap_or(plan)
}
