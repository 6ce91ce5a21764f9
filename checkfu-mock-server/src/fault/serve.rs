//! A request and its answer with every fault that meets them.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Method, Request, Version, header};
use axum::response::Response;
use bytes::Bytes;
use tower_service::Service;

use super::effect::{Answer, Cut, Effect, How, PageEdit, Point};
use super::line::{End, Line, Pace, When};
use super::operation::Operation;
use super::plan::Shot;
use super::preview::Previews;
use super::sever::{Broken, cut_body, cut_short, refuse};
use super::stream::Edits;
use super::{paging, reply};
use crate::stop::Stopping;

/// One request under way.
pub(crate) struct Exchange {
    pub(crate) operation: Operation,
    pub(crate) line: Arc<Line>,
    pub(crate) stopping: Stopping,
    pub(crate) shots: Vec<Shot>,
}

/// What a fault makes of a request before it is carried out.
enum Before {
    GoOn,
    Answer(Response),
    Refuse(How),
}

impl Exchange {
    /// Answers the request, or ends its connection.
    pub(crate) async fn answer(
        mut self,
        mut router: Router,
        mut request: Request<Body>,
    ) -> Result<Response, Broken> {
        // As asked, so that two empty pages in a row have tokens of their own.
        let path = request.uri().path().to_owned();
        let query = request.uri().query().unwrap_or_default().to_owned();
        paging::follow_again(request.uri_mut());
        let get = request.method() == Method::GET;
        for index in 0..self.shots.len() {
            match self.before(index, &mut request).await {
                Before::GoOn => {}
                Before::Answer(response) => return Ok(response),
                Before::Refuse(how) => return Err(refuse(how, &self.line, &self.stopping).await),
            }
        }
        let Ok(mut response) = router.call(request).await;
        let mut edits = Edits::default();
        let is_stream = is_event_stream(&response);
        for mut shot in std::mem::take(&mut self.shots) {
            match shot.effect.clone() {
                Effect::Cut(Cut {
                    how,
                    at: Point::Answer,
                    ..
                }) => {
                    shot.hit();
                    return Err(refuse(how, &self.line, &self.stopping).await);
                }
                Effect::Cut(
                    cut @ Cut {
                        at: Point::Event | Point::MidEvent,
                        ..
                    },
                ) if is_stream => {
                    edits.cuts.push((cut, shot));
                }
                Effect::Format(format) if is_stream => {
                    shot.hit();
                    edits.format = Some(format);
                }
                Effect::Insert(insert) if is_stream => edits.inserts.push((insert, shot)),
                Effect::Event(event) if is_stream => edits.events.push((event, shot)),
                Effect::Preview(preview) if is_stream => edits.previews.push(Previews::new(preview, shot)),
                Effect::Cut(cut @ Cut { at: Point::Body, .. }) => {
                    let (line, stopping) = (Arc::clone(&self.line), self.stopping.clone());
                    response = response.map(|body| cut_body(body, cut.after, cut.how, shot, line, stopping));
                }
                Effect::Answer(answer) if answer.run => {
                    shot.hit();
                    response = self.made_up(&answer);
                }
                Effect::Delay(delay) if delay.run => {
                    shot.hit();
                    tokio::time::sleep(Duration::from_millis(delay.milliseconds)).await;
                }
                Effect::Headers(change) => {
                    shot.hit();
                    reply::change_head(&mut response, &change);
                }
                Effect::OldHttp(_) if !self.line.is_multiplexed() => {
                    shot.hit();
                    *response.version_mut() = Version::HTTP_10;
                    let headers = response.headers_mut();
                    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
                }
                Effect::GoAway(_) => {
                    shot.hit();
                    self.line.go_away();
                }
                Effect::Page(page) if get && self.operation.is_list() && response.status() == 200 => {
                    let edit = page.edit;
                    if !matches!(
                        edit,
                        PageEdit::Shorter | PageEdit::Overlap | PageEdit::IgnoreAfter
                    ) {
                        response = paging::change_json(response, |answer| {
                            if paging::change_page(answer, edit, &path, &query) {
                                shot.hit();
                            }
                        })
                        .await;
                    }
                }
                Effect::Stale(stale) if get && !is_stream && response.status() == 200 => {
                    response = paging::change_json(response, |answer| {
                        if paging::make_stale(answer, stale.events) {
                            shot.hit();
                        }
                    })
                    .await;
                }
                _ => {}
            }
        }
        if edits.is_empty() {
            return Ok(response);
        }
        let (line, stopping) = (self.line, self.stopping);
        Ok(response.map(|body| edits.apply(body, line, stopping)))
    }

    fn made_up(&self, answer: &Answer) -> Response {
        let response = reply::made_up(answer);
        if answer.missing == 0 {
            return response;
        }
        let (line, stopping) = (Arc::clone(&self.line), self.stopping.clone());
        response.map(|body| cut_short(body, line, stopping))
    }

    async fn before(&mut self, index: usize, request: &mut Request<Body>) -> Before {
        let multiplexed = self.line.is_multiplexed();
        let Some(shot) = self.shots.get_mut(index) else {
            return Before::GoOn;
        };
        match shot.effect.clone() {
            Effect::Cut(cut) if cut.at == Point::Request => {
                shot.hit();
                return Before::Refuse(cut.how);
            }
            Effect::Cut(cut) if cut.at == Point::Head => {
                shot.hit();
                self.line.end(cut.how.into(), When::Bytes(cut.after));
            }
            Effect::Rate(rate) => {
                shot.hit();
                self.line.set_pace(Pace {
                    bytes: usize::try_from(rate.bytes).unwrap_or(usize::MAX),
                    pause: Duration::from_millis(rate.pause_milliseconds),
                    random: rate.random.then_some(shot.random),
                });
            }
            Effect::Delay(delay) if !delay.run => {
                shot.hit();
                tokio::time::sleep(Duration::from_millis(delay.milliseconds)).await;
            }
            Effect::Raw(raw) if !multiplexed => {
                shot.hit();
                self.line.send_ahead(Bytes::from(raw.text));
                self.line.end(End::from(raw.then), When::Bytes(0));
                return Before::Answer(Response::new(Body::empty()));
            }
            Effect::Informational(informational) if !multiplexed => {
                shot.hit();
                let text = format!("HTTP/1.1 {} Nothing yet\r\n\r\n", informational.status);
                self.line.send_ahead(Bytes::from(text));
            }
            Effect::Answer(answer) if !answer.run => {
                shot.hit();
                return Before::Answer(self.made_up(&answer));
            }
            Effect::RequestHeaders(change) => {
                shot.hit();
                reply::change_fields(request.headers_mut(), &change.remove, &change.set);
            }
            Effect::Resume(resume) if self.operation.is_stream() => {
                shot.hit_if(paging::rewind(request.headers_mut(), resume));
            }
            Effect::Page(page) if self.operation.is_list() => {
                shot.hit_if(paging::change_query(request.uri_mut(), page));
            }
            _ => {}
        }
        Before::GoOn
    }
}

fn is_event_stream(response: &Response) -> bool {
    let content_type = response.headers().get(header::CONTENT_TYPE);
    content_type.is_some_and(|value| value.as_bytes().starts_with(b"text/event-stream"))
}
