//! The client's options on the command line: one flag for each option of the core.

use std::path::{Path, PathBuf};

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgMatches, value_parser};
use signdoc::config::{NETWORK, OPTIONS, OptionSpec};
use signdoc::engine::Engine;
use signdoc::{Code, Config, ConfigBuilder, Error, Result};

const HEADING: &str =
    "Connection (or in the environment: SIGNDOC_BASE_URL for --base-url, and so on)";

/// A flag for each option. A secret has none of its own, because other users of the machine can
/// read command lines: it is given in the environment or as a file.
pub(crate) fn args() -> Vec<Arg> {
    OPTIONS.iter().map(arg).collect()
}

/// The flags of a command that needs no account.
pub(crate) fn network_args() -> Vec<Arg> {
    network().map(arg).collect()
}

fn network() -> impl Iterator<Item = &'static OptionSpec> {
    OPTIONS.iter().filter(|option| NETWORK.contains(&option.key))
}

fn arg(option: &'static OptionSpec) -> Arg {
    let flag = option.key.replace('_', "-");
    if option.secret {
        return Arg::new(option.key)
            .long(format!("{flag}-file"))
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help_heading(HEADING)
            .help(format!(
                "from a file: {} [environment: {env} or {env}_FILE]",
                option.help,
                env = option.env()
            ));
    }
    Arg::new(option.key)
        .long(flag)
        .value_name(value_name(option.key))
        .value_parser(NonEmptyStringValueParser::new())
        .help_heading(HEADING)
        .help(option.help)
}

fn value_name(key: &str) -> &'static str {
    match key {
        "issuer" | "base_url" | "orders_url" | "csc_url" | "tsa_url" => "URL",
        "timeout" | "connect_timeout" | "read_timeout" | "reception_timeout" | "login_lifetime" => {
            "SECONDS"
        }
        "fallback_folder" => "FOLDER",
        "max_retries" => "NUMBER",
        "max_answer_size" => "BYTES",
        "client_auth" => "METHOD",
        "client_auth_alg" => "ALGORITHM",
        "ca_file" | "client_cert" => "FILE",
        "ca_only" => "true|false",
        "no_proxy" => "HOSTS",
        _ => "TEXT",
    }
}

/// A client for what the command line and then the environment say.
pub(crate) fn engine(matches: &ArgMatches) -> Result<Engine> {
    Engine::new(told(OPTIONS.iter(), matches)?.env()?.build()?)
}

/// The same for a command that needs no account.
pub(crate) fn engine_without_account(matches: &ArgMatches) -> Result<Engine> {
    Engine::new(without_account(matches)?.build_without_account()?)
}

/// What the command line and then the environment say of a call that needs no account.
pub(crate) fn without_account(matches: &ArgMatches) -> Result<ConfigBuilder> {
    let told = told(network(), matches)?;
    // Other variables are for other commands: what is wrong with them is told there.
    let mut around = Config::builder();
    around.env()?;
    let mut builder = told.clone();
    for option in network() {
        if let (false, Some(value)) = (told.has(option.key), around.get(option.key)) {
            builder.set(option.key, value)?;
        }
    }
    Ok(builder)
}

fn told<'a>(
    options: impl Iterator<Item = &'a OptionSpec>,
    matches: &ArgMatches,
) -> Result<ConfigBuilder> {
    let mut builder = Config::builder();
    for option in options {
        if option.secret {
            if let Some(path) = matches.get_one::<PathBuf>(option.key) {
                builder.set(option.key, &secret(option, path)?)?;
            }
        } else if let Some(value) = matches.get_one::<String>(option.key) {
            builder.set(option.key, value)?;
        }
    }
    Ok(builder)
}

fn secret(option: &OptionSpec, path: &Path) -> Result<String> {
    let flag = option.key.replace('_', "-");
    let refused = |why: &str| {
        Error::new(
            Code::InvalidOption,
            format!("--{flag}-file names {}, which {why}", path.display()),
        )
    };
    let text = std::fs::read_to_string(path)
        .map_err(|error| refused(&format!("cannot be read: {error}")))?;
    let text = text.trim_end_matches(['\r', '\n']);
    if text.is_empty() {
        return Err(refused("is empty"));
    }
    Ok(text.to_owned())
}
