//! `signdoc sign`: an order from its creation to its results.

use std::path::PathBuf;

use clap::ArgMatches;
use serde_json::{Value, json};
use signdoc::engine::Engine;
use signdoc::{CallOptions, Code, Conversion, DownloadOptions, Identity, Order, OrderRef, Result};

use super::fetch::{Came, Fetcher, Wanted};
use super::request::{self, Asked};
use super::wait::{About, Login, Watch};
use super::{applies, download, kind, show};
use crate::redirect::{self, Callback};
use crate::screen::{Screen, plain};
use crate::{Interrupted, call, connection, exit};

/// How often the results are gone for although the order turns out not to be done.
const ATTEMPTS: usize = 5;

/// What came of it.
struct Done {
    order: Order,
    login: Login,
    came: Came,
}

pub(crate) fn run(matches: &ArgMatches, screen: &mut Screen, interrupted: Interrupted<'_>) -> i32 {
    match signed(matches, screen, interrupted) {
        Err(error) => {
            if let Some(order) = error.order() {
                // Asked for with --strict: the order is there all the same.
                let end = format!("signdoc discard {}", plain(&order.sign_id));
                screen.say(&format!(
                    "The order {} exists; nobody has to sign it. To end it, type `{end}`.",
                    plain(&order.sign_id)
                ));
            }
            download::failed(&error, matches, screen)
        }
        Ok(done) => told(&done, matches, screen),
    }
}

fn told(done: &Done, matches: &ArgMatches, screen: &mut Screen) -> i32 {
    let bad_login = match &done.login {
        Login::Bad(error) => Some(error),
        _ => None,
    };
    let status = bad_login.map_or(exit::OK, |error| exit::of(error.code()));
    if matches.get_flag("json") {
        screen.line(&format!("{:#}", done.to_json(status)));
    } else if !matches.get_flag("quiet") {
        done.show(screen);
    }
    if let Some(error) = bad_login {
        let told = format!(
            "the order was signed and its results are here, but the login cannot be trusted: {}",
            error.message()
        );
        screen.error(&error.clone().with_message(told));
    }
    status
}

impl Done {
    fn identity(&self) -> Option<&Identity> {
        match &self.login {
            Login::Known(identity) => Some(identity),
            _ => None,
        }
    }

    fn to_json(&self, status: i32) -> Value {
        let error = match &self.login {
            Login::Bad(error) => error.to_json(),
            _ => Value::Null,
        };
        let (download, received_into) = match &self.came {
            Came::Results(download) => (download.to_json(), Value::Null),
            Came::Unseen(folder) => (Value::Null, json!(folder.display().to_string())),
        };
        json!({
            "sign_id": self.order.sign_id,
            "signer": self.identity().map(|who| json!({"subject": who.subject})),
            "conversions": self.order.conversions.iter().map(Conversion::to_json).collect::<Vec<_>>(),
            "download": download,
            "received_into": received_into,
            "error": error,
            "exit_status": status,
        })
    }

    fn show(&self, screen: &mut Screen) {
        match &self.came {
            Came::Results(download) => show(&download.to_json(), screen),
            Came::Unseen(folder) => {
                screen
                    .line(&format!("the results are in {}", plain(&folder.display().to_string())));
            }
        }
        match &self.login {
            Login::Known(who) => screen.line(&format!("\nsigned by {}", plain(&name_of(who)))),
            Login::Open => {
                screen.line("\nno login came back here, so it is not known who signed");
            }
            Login::Bad(_) => {}
        }
        screen.line("Look them over: signdoc verify FILE --trust ROOTS --original DOCUMENT");
    }
}

fn name_of(who: &Identity) -> String {
    let name = who.claims.get("name").and_then(|name| name.as_str());
    name.unwrap_or(&who.subject).to_owned()
}

fn signed(matches: &ArgMatches, screen: &mut Screen, interrupted: Interrupted<'_>) -> Result<Done> {
    let kind = kind(matches);
    applies::check_sign(matches, kind)?;
    let request = request::read(matches, kind)?;
    let engine = connection::engine(matches)?;
    let elsewhere = matches.get_one::<String>("redirect_uri");
    let callback = match elsewhere {
        Some(_) => None,
        None => Some(Callback::listen(matches.get_one("port").copied().unwrap_or(0))?),
    };
    let results = request.order.results().to_vec();
    let order = create(&engine, request.order, screen, interrupted)?;
    screen.note(&format!("Order {}", plain(&order.sign_id)));
    tell_conversions(&order, &request.names, screen);
    let back = match (&callback, elsewhere) {
        (Some(callback), _) => callback.address().to_owned(),
        (None, address) => address.cloned().unwrap_or_default(),
    };
    let token = begin(&engine, &order, back, matches, screen, interrupted)
        .map_err(|error| error.with_detail("sign_id", order.sign_id.as_str()))?;
    let visible = !matches.get_flag("quiet") && !matches.get_flag("json");
    let about = About {
        engine: &engine,
        order: &order,
        callback: callback.as_ref(),
        token,
        folder: matches.get_one::<PathBuf>("output").cloned().unwrap_or_default(),
        visible,
    };
    let mut watch = Watch::new(about, interrupted);
    let fetcher = Fetcher { engine: &engine, interrupted, visible };
    let mut attempts = 0;
    let came = loop {
        let force = watch.until_signed(screen)?;
        attempts += 1;
        let wanted = Wanted {
            kind,
            order: OrderRef::from(&order),
            options: DownloadOptions {
                to: download::destination(matches),
                force,
                ..DownloadOptions::default()
            },
            results: Some(results.clone()),
            names: request.names.clone(),
        };
        match fetcher.fetch(wanted, screen) {
            // The state can be asked for after all, and says so.
            Err(error) if error.code() == Code::OrderNotReady && attempts < ATTEMPTS => {}
            Err(error) if error.code() == Code::Cancelled && !interrupted.has_given_up() => {
                return Err(watch.left());
            }
            ended => break ended?,
        }
    };
    let login = watch.into_login();
    Ok(Done { order, login, came })
}

fn create(
    engine: &Engine,
    order: Asked,
    screen: &mut Screen,
    interrupted: Interrupted<'_>,
) -> Result<Order> {
    let options = CallOptions::default();
    let trace = options.trace.clone();
    let created = match order {
        Asked::Pades(order) => call::run(engine, interrupted, |client| async move {
            client.pades().create(&order, &options).await
        }),
        Asked::Sdo(order) => call::run(engine, interrupted, |client| async move {
            client.sdo().create(&order, &options).await
        }),
    };
    for warning in call::warnings(&trace) {
        screen.warning(&warning);
    }
    created
}

/// Sends the end user to sign; what is needed to take the login that comes back.
fn begin(
    engine: &Engine,
    order: &Order,
    back: String,
    matches: &ArgMatches,
    screen: &mut Screen,
    interrupted: Interrupted<'_>,
) -> Result<String> {
    let (about, options) = (order.clone(), request::login(matches));
    let login = call::run(engine, interrupted, |client| async move {
        client.login().begin(&about, &back, &options).await
    })?;
    if matches.get_flag("open") && redirect::open(&login.url) {
        screen.note("Sign in the browser.");
    } else {
        screen.note("Open this address to sign:");
        screen.note(&login.url);
    }
    Ok(login.to_token())
}

/// What became of conversions: an order goes on with documents that were not converted.
fn tell_conversions(order: &Order, names: &[Option<String>], screen: &mut Screen) {
    for one in &order.conversions {
        let name = names.get(one.index).cloned().flatten().unwrap_or_default();
        let (name, words) = (plain(&name), |words: Vec<&str>| plain(&words.join(", ")));
        if one.is_failed() {
            let why = words(one.errors.iter().map(|fault| fault.name()).collect());
            screen.say(&format!("{name} was not converted ({why}); the order goes on with it"));
        } else if !one.warnings.is_empty() {
            let what = words(one.warnings.iter().map(|warning| warning.name()).collect());
            screen.say(&format!("{name} was converted, with {what}"));
        }
    }
}
