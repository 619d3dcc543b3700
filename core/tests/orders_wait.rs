//! Waiting for an order: rhythm, ends, outages.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "common/server.rs"]
mod server;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use serde_json::json;
use server::{PADES, Reply, Server, Then};
use signdoc::clock::{Clock, Sleep};
use signdoc::spec::PadesState;
use signdoc::{CallOptions, Client, Code, Error, StateWatch, WaitOptions};

/// A clock whose pauses take no time, but count.
#[derive(Debug, Default)]
struct QuickClock {
    pauses: Mutex<Vec<u64>>,
    passed_ms: AtomicU64,
}

impl Clock for QuickClock {
    fn now(&self) -> SystemTime {
        SystemTime::now() + Duration::from_millis(self.passed_ms.load(Ordering::SeqCst))
    }

    fn sleep(&self, duration: Duration) -> Sleep {
        let ms = duration.as_millis() as u64;
        self.pauses.lock().unwrap().push(ms);
        self.passed_ms.fetch_add(ms, Ordering::SeqCst);
        Box::pin(tokio::task::yield_now())
    }
}

/// Answers the question for the state with these replies, the last one again and again.
fn telling(replies: Vec<Reply>) -> Server {
    let mut replies = VecDeque::from(replies);
    Server::start(move |seen| {
        seen.is("GET", PADES).then(|| {
            if replies.len() > 1 { replies.pop_front().unwrap() } else { replies[0].clone() }
        })
    })
}

fn state(name: &str) -> Reply {
    Reply::json(200, json!({"orderState": name}))
}

fn client(server: &Server) -> (Client, Arc<QuickClock>) {
    let clock = Arc::new(QuickClock::default());
    let client = Client::with_clock(server.config().build().unwrap(), clock.clone()).unwrap();
    (client, clock)
}

async fn wait(
    server: &Server,
    until: &[&str],
) -> (Result<PadesState, Error>, Vec<u64>, Vec<String>) {
    let (client, clock) = client(server);
    let watch = StateWatch::default();
    let until = until.iter().map(ToString::to_string).collect();
    let options = WaitOptions { until, watch: watch.clone(), ..Default::default() };
    let waited = client.pades().wait("s", &options).await;
    let pauses = clock.pauses.lock().unwrap().clone();
    (waited, pauses, watch.take_states())
}

#[tokio::test]
async fn a_wait_asks_quickly_at_first_and_slowly_later_and_shows_each_state() {
    let mut replies = vec![state("ORDER_RECEIVED"); 7];
    replies.extend([state("GRABBED_BY_IDP"), state("USER_SIGNING"), state("SIGN_COMPLETED")]);
    let (waited, pauses, states) = wait(&telling(replies), &[]).await;
    assert_eq!(waited.unwrap(), PadesState::SignCompleted);
    assert_eq!(pauses, [1000, 1500, 2250, 3375, 5000, 5000, 5000, 1000, 1000]);
    assert_eq!(states, ["ORDER_RECEIVED", "GRABBED_BY_IDP", "USER_SIGNING", "SIGN_COMPLETED"]);
}

#[tokio::test]
async fn a_final_state_ends_a_wait_whatever_was_waited_for() {
    let of = |name: &str| telling(vec![state("USER_SIGNING"), state(name)]);
    assert_eq!(wait(&of("FAILED"), &[]).await.0.unwrap(), PadesState::Failed);
    for (ended, code) in [("FAILED", Code::OrderFailed), ("CANCELLED", Code::OrderCancelled)] {
        let error = wait(&of(ended), &["SIGN_COMPLETED"]).await.0.unwrap_err();
        assert_eq!(error.code(), code);
        assert_eq!(error.details()["order_state"], ended);
        assert_eq!(error.details()["sign_id"], "s");
    }
    let reached = wait(&of("CANCELLED"), &["CANCELLED"]).await.0.unwrap();
    assert_eq!(reached, PadesState::Cancelled);
    assert_eq!(wait(&of("FAILED"), &["USER_SIGNING"]).await.0.unwrap(), PadesState::UserSigning);
}

#[tokio::test]
async fn the_service_decides_how_soon_it_is_asked_again() {
    let later = Reply::new(200, "text/plain", &[("retry-after", "17")], b"USER_SIGNING");
    let busy = Reply::new(429, "text/plain", &[("retry-after", "23")], b"slow down");
    let (waited, pauses, _) = wait(&telling(vec![later, busy, state("SIGN_COMPLETED")]), &[]).await;
    assert!(waited.unwrap().is_completed());
    assert_eq!(pauses, [17_000, 23_000]);
}

#[tokio::test]
async fn a_short_outage_does_not_end_a_wait() {
    let replies = vec![
        state("USER_SIGNING"),
        Reply::json(503, ""),
        Reply::nothing(Then::Close),
        Reply::json(502, "<html>"),
        state("SIGN_COMPLETED"),
    ];
    assert!(wait(&telling(replies), &[]).await.0.unwrap().is_completed());
    let refused = telling(vec![state("USER_SIGNING"), Reply::json(400, "\"no\"")]);
    assert_eq!(wait(&refused, &[]).await.0.unwrap_err().code(), Code::RequestRejected);
}

#[tokio::test]
async fn an_order_that_vanishes_has_run_out_of_time() {
    for last in ["ORDER_RECEIVED", "USER_SIGNING"] {
        let server = telling(vec![state(last), Reply::json(404, "")]);
        let error = wait(&server, &[]).await.0.unwrap_err();
        assert_eq!(error.code(), Code::WindowExpired);
        assert!(error.message().contains(last), "{error}");
    }
    let error = wait(&telling(vec![Reply::json(404, "")]), &[]).await.0.unwrap_err();
    assert_eq!(error.code(), Code::OrderNotFound);
}

#[tokio::test]
async fn a_wait_ends_at_its_time_limit_and_tells_the_last_state() {
    let server = telling(vec![state("USER_SIGNING")]);
    let client = server.client();
    let options = WaitOptions {
        call: CallOptions { timeout: Some(Duration::from_secs(3)), ..Default::default() },
        ..Default::default()
    };
    let error = client.pades().wait("s", &options).await.unwrap_err();
    assert_eq!(error.code(), Code::TotalTimeout);
    assert_eq!(error.details()["order_state"], "USER_SIGNING");
}

#[tokio::test]
async fn a_wait_that_is_dropped_asks_no_more_and_was_visible_meanwhile() {
    let server = telling(vec![state("USER_SIGNING")]);
    let client = server.client();
    let watch = StateWatch::default();
    let options = WaitOptions { watch: watch.clone(), ..Default::default() };
    let waiting = tokio::spawn(async move { client.pades().wait("s", &options).await });
    assert_eq!(watch.changed(None).await.as_deref(), Some("USER_SIGNING"));
    assert_eq!(watch.state().as_deref(), Some("USER_SIGNING"));
    waiting.abort();
    assert!(waiting.await.unwrap_err().is_cancelled());
    let asked = server.seen("GET", PADES).len();
    tokio::time::sleep(Duration::from_millis(1300)).await;
    assert_eq!(server.seen("GET", PADES).len(), asked);
}
