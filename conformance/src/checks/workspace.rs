use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, turn},
    wire::request::Request,
};

/// A well-formed id of a Workspace that no key is of.
const OTHER_WORKSPACE: &str = "wksp_ffffffffffffffffffffffffffffffff";

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.workspace.other-is-not-found",
    title: "Under another Workspace a Session is not found, to read or to write.",
    level: Level::Assumed,
    stimulus: Stimulus::Work,
    requirements: &["A-VER"],
    killed_by: &["server:any_workspace", "server:forbidden_workspace"],
    run: |cx| Box::pin(other_is_not_found(cx)),
}];

async fn other_is_not_found(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let message = turn::message(cx.bench, &cx.bench.fresh_name("elsewhere"));
    for request in [
        Request::get(settled.session.path()),
        Request::get(settled.session.events()),
        Request::post(settled.session.events(), &message),
    ] {
        let answer = cx
            .send(request.header("checkfu-workspace", OTHER_WORKSPACE))
            .await?;
        expect::error(&answer, 404, "resource.not_found")?;
        cx.saw(
            format!("{} under another Workspace: 404", answer.method()),
            &answer,
        );
    }
    let now = cx.log(&settled.session.id).await?;
    settled
        .log()
        .expect_unchanged(&now, "the log after a message under another Workspace")?;
    cx.pass()
}
