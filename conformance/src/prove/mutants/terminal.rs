use crate::prove::{mutant::Mutant, traffic::Answer};

pub(super) fn mutants() -> Vec<Mutant> {
    vec![
        Mutant::new("terminal-stream-stays-open")
            .holds_open()
            .kills("srv.terminal.stream-closes", "a stream that the server closes"),
        Mutant::new("cancel-is-forgotten")
            .instead(|call| {
                call.path
                    .ends_with("/cancel")
                    .then(|| Answer::new(200, "application/json", "{}"))
            })
            .kills("srv.terminal.stream-closes", "session.status_canceled last"),
        Mutant::new("terminal-takes-input")
            .answer(|call, answer| {
                if call.is_append() && answer.status == 409 {
                    answer.status = 202;
                }
            })
            .kills("srv.terminal.takes-no-input", "4xx"),
    ]
}
