//! Principals and AgentDeployments on the control listener.

use std::time::Duration;

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::routing::{get, post, put};
use serde_json::{Value, json};

use super::Control;
use super::workspace::{DeploymentStatus, Workspace, WorkspaceError};
use crate::http::body::{self, EmptyBody, MAX_BODY_BYTES};
use crate::http::fields::{Fields, invalid, kind};
use crate::http::query::Parameters;
use crate::http::response::{Answer, json as json_response};
use crate::wire::error::{ApiError, Code};

/// How long the body of a request may take to arrive.
const BODY_LIMIT: Duration = Duration::from_secs(10);

pub(super) fn routes() -> Router<Control> {
    Router::new()
        .route("/control/principals", get(principals).post(add))
        .route(
            "/control/principals/{principal_id}",
            axum::routing::delete(remove),
        )
        .route("/control/principals/{principal_id}/permissions", put(permit))
        .route("/control/deployments", get(deployments).post(publish))
        .route(
            "/control/deployments/{agent_deployment_id}/revisions",
            post(publish_revision),
        )
}

async fn principals(State(control): State<Control>) -> Answer {
    Ok(answer(
        StatusCode::OK,
        &json!({"data": control.workspace().principals()}),
    ))
}

async fn add(State(control): State<Control>, request: Request) -> Answer {
    let mut fields = Fields::of(read(request).await?, "")?;
    let id = fields.required_text("id")?;
    let permissions = permissions(&mut fields, false)?;
    fields.finish()?;
    let workspace = control.workspace();
    let is_known = workspace.principals().iter().any(|principal| principal.id == id);
    let status = if is_known {
        StatusCode::OK
    } else {
        StatusCode::CREATED
    };
    set(workspace, id, permissions, status, "id").await
}

async fn permit(State(control): State<Control>, Path(id): Path<String>, request: Request) -> Answer {
    let known = control.workspace().principals();
    if !known.iter().any(|principal| principal.id == id) {
        return Err(no_principal(&id).into());
    }
    let mut fields = Fields::of(read(request).await?, "")?;
    let permissions = permissions(&mut fields, true)?;
    fields.finish()?;
    set(
        control.workspace(),
        id,
        permissions,
        StatusCode::OK,
        "permissions",
    )
    .await
}

async fn remove(State(control): State<Control>, Path(id): Path<String>) -> Answer {
    let (workspace, wanted) = (control.workspace(), id.clone());
    let removed = blocking(move || workspace.remove_principal(&wanted)).await?;
    match removed {
        Ok(true) => Ok(answer(StatusCode::OK, &json!({"id": id}))),
        Ok(false) | Err(WorkspaceError::Invalid(_)) => Err(no_principal(&id).into()),
        Err(error) => Err(refused(&error, "principal_id").into()),
    }
}

async fn deployments(State(control): State<Control>) -> Answer {
    Ok(answer(
        StatusCode::OK,
        &json!({"data": control.workspace().deployments()}),
    ))
}

/// The body is the scenario itself, as YAML; `name` publishes it under another name than its own.
async fn publish(State(control): State<Control>, request: Request) -> Answer {
    let mut parameters = Parameters::of(request.uri())?;
    let name = parameters.take("name")?;
    parameters.finish()?;
    let yaml = scenario(request).await?;
    let workspace = control.workspace();
    published(move || match name {
        Some(name) => workspace.publish_as(&name, &yaml),
        None => workspace.publish(&yaml),
    })
    .await
}

/// The next revision of this AgentDeployment.
async fn publish_revision(
    State(control): State<Control>,
    Path(id): Path<String>,
    request: Request,
) -> Answer {
    let yaml = scenario(request).await?;
    let workspace = control.workspace();
    published(move || workspace.publish_revision(&id, &yaml)).await
}

async fn scenario(request: Request) -> Result<String, ApiError> {
    let reading = tokio::time::timeout(BODY_LIMIT, to_bytes(request.into_body(), MAX_BODY_BYTES));
    let late = || invalid("", "did not arrive whole, or is larger than 1 MiB");
    let bytes = reading.await.map_err(|_| late())?.map_err(|_| late())?;
    String::from_utf8(bytes.into()).map_err(|_| invalid("", "is not UTF-8"))
}

async fn published(
    publish: impl FnOnce() -> Result<DeploymentStatus, WorkspaceError> + Send + 'static,
) -> Answer {
    let published = blocking(publish).await?;
    let published = published.map_err(|error| refused(&error, "scenario"))?;
    Ok(answer(StatusCode::CREATED, &json!(published)))
}

async fn set(
    workspace: Workspace,
    id: String,
    permissions: Vec<String>,
    status: StatusCode,
    param: &str,
) -> Answer {
    let body = json!({"id": id, "permissions": permissions});
    let done = blocking(move || workspace.set_principal(&id, permissions)).await?;
    done.map_err(|error| refused(&error, param))?;
    Ok(answer(status, &body))
}

fn permissions(fields: &mut Fields, required: bool) -> Result<Vec<String>, ApiError> {
    let given = if required {
        Some(fields.required("permissions")?)
    } else {
        fields.optional("permissions")
    };
    let items = match given {
        None => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(other) => {
            return Err(fields.invalid(
                "permissions",
                &format!("must be an array of names, not {}", kind(&other)),
            ));
        }
    };
    let names = items.into_iter().enumerate().map(|(index, item)| match item {
        Value::String(name) => Ok(name),
        other => Err(invalid(
            &format!("permissions[{index}]"),
            &format!("must be a string, not {}", kind(&other)),
        )),
    });
    names.collect()
}

async fn read(request: Request) -> Result<Value, ApiError> {
    let (parts, incoming) = request.into_parts();
    body::read(&parts.headers, incoming, EmptyBody::IsAnError, BODY_LIMIT)
        .await?
        .json
}

/// A change waits for the disk, so it is made where that holds up nobody.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| ApiError::internal())
}

fn refused(error: &WorkspaceError, param: &str) -> ApiError {
    match error {
        WorkspaceError::UnknownDeployment { .. } => {
            ApiError::new(Code::NotFound, error.to_string()).with_param("agent_deployment_id")
        }
        WorkspaceError::Permission(_) => {
            ApiError::new(Code::InvalidBody, error.to_string()).with_param("permissions")
        }
        WorkspaceError::Scenario(_) | WorkspaceError::Invalid(_) => {
            ApiError::new(Code::InvalidBody, error.to_string()).with_param(param)
        }
        WorkspaceError::Unavailable(_) => {
            tracing::error!(%error, "workspace");
            ApiError::new(Code::Internal, error.to_string())
        }
    }
}

fn no_principal(id: &str) -> ApiError {
    ApiError::new(Code::NotFound, format!("there is no Principal {id:?}")).with_param("principal_id")
}

fn answer(status: StatusCode, value: &Value) -> axum::response::Response {
    json_response(status, value.to_string())
}
