//! `signdoc check`: is everything in place for a call, and if not, what to do.

use clap::ArgMatches;
use serde_json::json;
use signdoc::engine::Engine;
use signdoc::{CallOptions, CheckPoint, CheckStatus};

use crate::list::{self, Mark, Point};
use crate::screen::Screen;
use crate::{Interrupted, call, connection, exit, report};

pub(crate) fn run(matches: &ArgMatches, screen: &mut Screen, interrupted: Interrupted<'_>) -> i32 {
    let as_json = matches.get_flag("json");
    let points = match connection::engine(matches) {
        Ok(engine) => match looked_at(&engine, interrupted) {
            Ok(points) => points,
            Err(error) => return report::failed(&error, as_json, screen),
        },
        // What the doctor is asked about: a configuration that cannot be used is a finding.
        Err(error) => vec![CheckPoint::of_error("configuration", &error)],
    };
    let status = status(&points);
    if as_json {
        let points: Vec<_> = points.iter().map(CheckPoint::to_json).collect();
        let document = json!({"ok": status == exit::OK, "points": points, "exit_status": status});
        screen.line(&format!("{document:#}"));
    } else {
        show(&points, screen);
    }
    status
}

fn looked_at(engine: &Engine, interrupted: Interrupted<'_>) -> signdoc::Result<Vec<CheckPoint>> {
    let check =
        |client: signdoc::Client| async move { Ok(client.check(&CallOptions::default()).await) };
    call::run(engine, interrupted, check)
}

/// What comes first decides: the configuration, then what the provider or the service refused.
fn status(points: &[CheckPoint]) -> i32 {
    let of = |point: &CheckPoint| match (point.name, point.code.map(exit::of)) {
        ("configuration", _) => exit::USAGE,
        (_, Some(exit::AUTHENTICATION)) => exit::AUTHENTICATION,
        _ => exit::SERVICE,
    };
    let failed = points.iter().filter(|point| point.status == CheckStatus::Failed).map(of);
    failed.min().unwrap_or(exit::OK)
}

fn show(points: &[CheckPoint], screen: &mut Screen) {
    let point = |point: &CheckPoint| Point {
        mark: match point.status {
            CheckStatus::Passed => Mark::Good,
            CheckStatus::Failed => Mark::Bad,
            CheckStatus::NotChecked => Mark::Open,
        },
        name: point.name.to_owned(),
        detail: point.detail.clone(),
        remedy: point.remedy.clone(),
    };
    let shown: Vec<_> = points.iter().map(point).collect();
    list::show(&shown, 0, screen);
    let count = |mark| shown.iter().filter(|point| point.mark == mark).count();
    let verdict = match (count(Mark::Bad), count(Mark::Open)) {
        (0, 0) => "everything is in place".to_owned(),
        (0, open) => format!("nothing is wrong, {open} not looked at"),
        (1, _) => "1 point needs attention".to_owned(),
        (bad, _) => format!("{bad} points need attention"),
    };
    screen.line(&format!("\n{verdict}"));
}

#[cfg(test)]
mod tests {
    use signdoc::{Code, Error};

    use super::*;

    #[test]
    fn the_status_is_that_of_what_comes_first() {
        let failed = |&(name, code): &(&'static str, Code)| {
            CheckPoint::of_error(name, &Error::new(code, "what happened"))
        };
        let lost = ("credentials", Code::ConnectFailed);
        let scope = ("scope", Code::AccessTokenRejected);
        for (bad, expected) in [
            (&[][..], exit::OK),
            (&[("configuration", Code::MissingOption), scope], exit::USAGE),
            (&[("discovery", Code::TlsFailed), ("tls", Code::TlsFailed)], exit::SERVICE),
            (
                &[("clock", Code::Internal), ("credentials", Code::OauthInvalidClient)],
                exit::AUTHENTICATION,
            ),
            (&[("scope", Code::OauthInvalidScope)], exit::AUTHENTICATION),
            (&[scope], exit::AUTHENTICATION),
            (&[lost], exit::SERVICE),
            (&[("service", Code::NotFound)], exit::SERVICE),
        ] {
            let points: Vec<_> = bad.iter().map(failed).collect();
            assert_eq!(status(&points), expected, "{bad:?}");
        }
    }
}
