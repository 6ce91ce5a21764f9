use crate::prove::{mutant::Mutant, pressure::Pressure};

pub(super) fn mutants() -> Vec<Mutant> {
    let (whole, alone) = ("srv.stream.full-buffers", "srv.stream.stall-is-alone");
    let under = |name, pressure| Mutant::new(name).pressure(pressure);
    vec![
        under("full-buffers-lose-the-newest", Pressure::LosesNewest)
            .kills(whole, "that comes back to full buffers"),
        under("full-buffers-lose-the-oldest", Pressure::LosesOldest)
            .kills(whole, "that comes back to full buffers"),
        under("a-stall-holds-streams", Pressure::HoldsStreams)
            .kills(alone, "for a reader beside one that stalls"),
        under("a-stall-holds-calls", Pressure::HoldsCalls).kills(alone, "a complete HTTP answer"),
    ]
}
