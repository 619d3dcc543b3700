//! The client's options on the command line: one flag for each option of the core.

use std::path::{Path, PathBuf};

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgMatches, value_parser};
use signdoc::config::{OPTIONS, OptionSpec};
use signdoc::engine::Engine;
use signdoc::{Code, Config, Error, Result};

const HEADING: &str =
    "Connection (or in the environment: SIGNDOC_BASE_URL for --base-url, and so on)";

/// A flag for each option. A secret has none of its own, because other users of the machine can
/// read command lines: it is given in the environment or as a file.
pub(crate) fn args() -> Vec<Arg> {
    OPTIONS.iter().map(arg).collect()
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
    let mut builder = Config::builder();
    for option in OPTIONS {
        if option.secret {
            if let Some(path) = matches.get_one::<PathBuf>(option.key) {
                builder.set(option.key, &secret(option, path)?)?;
            }
        } else if let Some(value) = matches.get_one::<String>(option.key) {
            builder.set(option.key, value)?;
        }
    }
    Engine::new(builder.env()?.build()?)
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
