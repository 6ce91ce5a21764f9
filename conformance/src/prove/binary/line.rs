use serde::Deserialize;

/// What a server prints when it listens.
#[derive(Deserialize)]
pub(super) struct Line {
    pub(super) url: String,
    pub(super) api_key: String,
    pub(super) principal_id: String,
    pub(super) agent_deployment_id: String,
    pub(super) control_url: String,
    pub(super) control_token: String,
}

impl Line {
    pub(super) fn read(text: &str) -> Result<Self, String> {
        serde_json::from_str(text)
            .map_err(|error| format!("its first line says not where it listens: {error}"))
    }
}

/// Without the secrets.
impl std::fmt::Debug for Line {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Line")
            .field("url", &self.url)
            .field("control_url", &self.control_url)
            .finish_non_exhaustive()
    }
}
