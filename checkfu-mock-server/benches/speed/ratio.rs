//! Two rates that are taken in turn, and what one is of the other.

use super::Failure;

/// How often each pair is measured.
const ROUNDS: usize = 5;

/// Measures both sides in alternation and prints how many times as long the second takes, with the least and the most of
/// all rounds. Single rates are told beside it; they mean nothing on another machine.
pub(crate) async fn compare(
    what: &str,
    mut floor: impl AsyncFnMut() -> Result<f64, Failure>,
    mut subject: impl AsyncFnMut() -> Result<f64, Failure>,
) -> Result<(), Failure> {
    let mut rounds = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        rounds.push((floor().await?, subject().await?));
    }
    let mut ratios: Vec<f64> = rounds.iter().map(|(floor, subject)| floor / subject).collect();
    ratios.sort_unstable_by(f64::total_cmp);
    let (mut floors, mut subjects): (Vec<f64>, Vec<f64>) = rounds.into_iter().unzip();
    println!(
        "{what:<46} {:>6.2}  {:>6.2} to {:>6.2}  {:>9.0} {:>9.0}",
        median(&mut ratios),
        ratios[0],
        ratios[ROUNDS - 1],
        median(&mut floors),
        median(&mut subjects),
    );
    Ok(())
}

fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
