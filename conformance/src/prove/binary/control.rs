use serde::Deserialize;

use super::{Binary, RunningServer, Unprovable};

/// No list of mutants comes near it, in bytes.
const LONGEST_LIST: usize = 1 << 20;

#[derive(Deserialize)]
struct Listed {
    data: Vec<Named>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

/// The names of the promises that the program can be told to break.
pub(in crate::prove) async fn mutants(
    binary: &Binary,
    server: &RunningServer,
) -> Result<Vec<String>, Unprovable> {
    let path = binary.path().to_owned();
    let failed = |error: reqwest::Error| Unprovable::NoStart {
        path: path.clone(),
        why: format!("its control listener does not answer: {error}"),
    };
    let http = reqwest::Client::builder().no_proxy().build().map_err(failed)?;
    let request = http.get(format!("{}/control/mutants", server.line.control_url));
    let mut answer = request
        .bearer_auth(&server.line.control_token)
        .send()
        .await
        .map_err(failed)?;
    if !answer.status().is_success() {
        return Err(Unprovable::WithoutMutants(path.clone()));
    }
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(failed)? {
        body.extend_from_slice(&chunk);
        if body.len() > LONGEST_LIST {
            return Err(Unprovable::WithoutMutants(path.clone()));
        }
    }
    match serde_json::from_slice::<Listed>(&body) {
        Ok(listed) => Ok(listed.data.into_iter().map(|mutant| mutant.name).collect()),
        Err(_) => Err(Unprovable::WithoutMutants(path.clone())),
    }
}
