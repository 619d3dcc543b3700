//! The server: accepts connections, reads requests whole, lets faults have their way, asks the
//! router, and records what was seen.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header::DATE;
use http::request::Parts;
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::timeout;

use super::body::AnswerBody;
use super::wire::{FaultyLine, Line, Wire};
use super::{Answer, Call, coding};
use crate::address::Address;
use crate::faults::Rule;
use crate::faults::apply::{self, Step};
use crate::requests::Seen;
use crate::state::State;
use crate::{control, router};

/// The longest request body that is read. Fifteen documents of the greatest length with every
/// base64 slash escaped stay below it.
const MAX_BODY: u64 = 160 * 1024 * 1024;

/// How long a TLS handshake may take.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(10);
/// The first second of the year 10000, in which the Date header has no form any more.
const LAST_DATE: u64 = 253_402_300_800;

/// The connection is dropped instead of answering.
#[derive(Debug)]
struct Dropped;

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("connection dropped by a fault")
    }
}

impl std::error::Error for Dropped {}

/// One socket for each address.
#[derive(Debug)]
pub(crate) struct Listeners {
    pub(crate) base: TcpListener,
    pub(crate) orders: TcpListener,
}

/// Where a request comes in.
#[derive(Debug, Clone, Copy)]
struct Connection {
    number: u64,
    address: Address,
}

/// Serves until `stop` changes or its sender goes away.
pub(crate) async fn serve(state: Arc<State>, listeners: Listeners, mut stop: watch::Receiver<()>) {
    let connections = AtomicU64::new(0);
    loop {
        let (address, accepted) = tokio::select! {
            accepted = listeners.base.accept() => (Address::Base, accepted),
            accepted = listeners.orders.accept() => (Address::Orders, accepted),
            _ = stop.changed() => return,
        };
        let Ok((stream, _)) = accepted else {
            // out of descriptors, most likely: give the connections under way a moment
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let number = connections.fetch_add(1, Ordering::Relaxed) + 1;
        accept(&state, stream, Connection { number, address });
    }
}

fn accept(state: &Arc<State>, stream: TcpStream, connection: Connection) {
    // a socket that cannot be set up is gone already
    let _ = stream.set_nodelay(true);
    if state.faults.take_for_accept() {
        stream.reset_on_close();
        return;
    }
    let state = Arc::clone(state);
    tokio::spawn(async move {
        let Some(tls) = &state.tls else { return converse(&state, stream, connection).await };
        let number = connection.number;
        match timeout(HANDSHAKE_LIMIT, tls.acceptor.accept(stream)).await {
            Ok(Ok(stream)) => converse(&state, stream, connection).await,
            Ok(Err(error)) => state.log_note(&format!("connection {number}: TLS: {error}")),
            Err(_) => state.log_note(&format!("connection {number}: TLS: handshake too slow")),
        }
    });
}

/// Answers the requests of one connection until it ends.
async fn converse<L: Line>(state: &Arc<State>, line: L, connection: Connection) {
    let wire = Wire::default();
    let line = TokioIo::new(FaultyLine::new(line, wire.clone()));
    let service = service_fn(|request| {
        let exchange = Exchange { state: Arc::clone(state), wire: wire.clone(), connection };
        exchange.run(request)
    });
    // errors of a connection are the client's concern, or ours on purpose
    let _ = http1::Builder::new().serve_connection(line, service).await;
}

/// One request on one connection.
struct Exchange {
    state: Arc<State>,
    wire: Wire,
    connection: Connection,
}

impl Exchange {
    async fn run(self, request: Request<Incoming>) -> Result<Response<AnswerBody>, Dropped> {
        self.wire.pass();
        let (head, body) = request.into_parts();
        let path = head.uri.path().to_owned();
        let Connection { number, address } = self.connection;
        if control::owns(&path) && self.state.serves_all_but_orders(address) {
            let answer = match read_body(body).await {
                Ok(body) => control::answer(&self.state, &call(head, address, path, body)).await,
                Err(refusal) => refusal.answer(),
            };
            return Ok(response(&self.state, answer));
        }
        let fault = self.state.faults.take(head.method.as_str(), &path);
        let seen = self.state.requests.begin(Seen::new(
            self.state.clock.now_millis(),
            number,
            address,
            &head,
            fault.as_ref().map(|(id, _)| *id),
        ));
        let rule = fault.as_ref().map(|(_, rule)| rule);
        let outcome = self.exchange(head, path, body, rule, seen).await;
        match &outcome {
            Some(answer) => self.state.requests.answered(seen, answer),
            None => self.state.requests.dropped(seen),
        }
        self.state.log_request(seen);
        outcome.map(|answer| response(&self.state, answer)).ok_or(Dropped)
    }

    async fn exchange(
        &self,
        head: Parts,
        path: String,
        body: Incoming,
        rule: Option<&Rule>,
        seen: u64,
    ) -> Option<Answer> {
        let state = &self.state;
        if let Some(rule) = rule {
            match apply::before_body(rule, &self.wire, state).await {
                Step::Handle => {}
                Step::Answer(answer) => return Some(*answer),
                Step::Drop => return None,
            }
        }
        let body = match read_body(body).await {
            Ok(body) => body,
            Err(refusal) => return Some(refusal.answer()),
        };
        state.requests.body_read(seen, &head.headers, &body).await;
        let mut call = call(head, self.connection.address, path, body);
        if let Some(rule) = rule {
            match apply::before_work(rule, &mut call, &self.wire, state).await {
                Step::Handle => {}
                Step::Answer(answer) => return Some(*answer),
                Step::Drop => return None,
            }
        }
        let answer = router::route(state, call).await;
        let mut answer = coding::apply(answer, &state.variants()).await;
        let keep = rule.is_none_or(|rule| apply::after_work(rule, &mut answer, &self.wire));
        keep.then_some(answer)
    }
}

fn call(head: Parts, address: Address, path: String, body: Bytes) -> Call {
    Call {
        address,
        method: head.method,
        path,
        query: head.uri.query().map(str::to_owned),
        headers: head.headers,
        body,
        reject_token: false,
        twist: None,
    }
}

/// Why a request body was not taken.
enum BodyRefusal {
    TooLong,
    EndedEarly,
}

impl BodyRefusal {
    fn answer(&self) -> Answer {
        match self {
            Self::TooLong => Answer::text(StatusCode::PAYLOAD_TOO_LARGE, "request body too long")
                .refused(format!("the request body is longer than {MAX_BODY} bytes")),
            Self::EndedEarly => Answer::text(StatusCode::BAD_REQUEST, "request body ended early")
                .refused("the request body ended before its announced length"),
        }
    }
}

async fn read_body(mut body: Incoming) -> Result<Bytes, BodyRefusal> {
    let announced = hyper::body::Body::size_hint(&body).exact();
    if announced.is_some_and(|length| length > MAX_BODY) {
        return Err(BodyRefusal::TooLong);
    }
    let capacity = announced.and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
    let mut out = BytesMut::with_capacity(capacity);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| BodyRefusal::EndedEarly)?;
        let Ok(data) = frame.into_data() else { continue };
        if (out.len() + data.len()) as u64 > MAX_BODY {
            return Err(BodyRefusal::TooLong);
        }
        out.extend_from_slice(&data);
    }
    Ok(out.freeze())
}

fn response(state: &State, answer: Answer) -> Response<AnswerBody> {
    let mut response = Response::new(answer.body);
    *response.status_mut() = answer.status;
    // the date is that of the sandbox's clock: a client meets the skew that it would in reality
    let dated = answer.headers.iter().any(|(name, _)| *name == DATE);
    if !dated && state.clock.now_unix() < LAST_DATE {
        let date = httpdate::fmt_http_date(state.clock.now());
        response.headers_mut().extend(HeaderValue::try_from(date).map(|date| (DATE, date)));
    }
    for (name, value) in answer.headers {
        // header values come from the sandbox itself or were checked when a rule was added
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().append(name, value);
        }
    }
    response
}

/// Binds the listening socket on loopback.
pub(crate) fn bind(port: u16) -> std::io::Result<(std::net::TcpListener, SocketAddr)> {
    let listener = std::net::TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, port))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}
