//! The throw-away authority that certifies merchants, end users and the sealing service.
//!
//! Made when first asked for, at that moment of the virtual clock. Its certificates are valid from
//! the day before for at least a year; a clock moved further meets certificates out of date. The
//! authorities themselves live for ten years, and time-stamping goes on for as long with new
//! certificates. What its certificates name as addresses is served, see [`crate::evidence`].

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, OnceLock};

use signdoc_signature::asn1::Time;
use signdoc_signature::crypto::KeyKind;
use signdoc_signature::pki::{Identity, Pki, PkiError, PkiOptions};

use crate::clock::Clock;
use crate::identity::persons::Person;
use crate::random::Random;
use crate::sync::lock;

/// The kind of every key.
const KEY: KeyKind = KeyKind::P256;
/// A number of an organisation that cannot exist.
const MERCHANT_NUMBER: &str = "999999999";
const SEALING_NUMBER: &str = "888888888";

/// Whom a certificate is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Holder {
    Merchant(String),
    Person(Person),
    Sealing,
}

/// The authority of one sandbox.
pub(crate) struct Authority {
    /// Where evidence about its certificates is published.
    address: String,
    pki: OnceLock<Result<Pki, String>>,
    holders: Mutex<HashMap<Holder, Identity>>,
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authority").finish_non_exhaustive()
    }
}

impl Authority {
    /// One whose certificates say that evidence about them is below this address.
    pub(crate) fn at(address: String) -> Self {
        Self { address, pki: OnceLock::new(), holders: Mutex::default() }
    }

    /// The authority itself.
    pub(crate) fn pki(&self, random: &Random, clock: &Clock) -> Result<&Pki, String> {
        let made = self.pki.get_or_init(|| {
            let seed = random.block().iter().take(8).fold(0, |n, byte| n << 8 | u64::from(*byte));
            let issued = time(clock.now_unix());
            let options = PkiOptions { seed, issued, key: KEY };
            Pki::published_at(options, Some(&self.address)).map_err(|error| error.to_string())
        });
        made.as_ref().map_err(Clone::clone)
    }

    /// Key and certificate of a holder; the same ones every time.
    pub(crate) fn identity(&self, pki: &Pki, holder: Holder) -> Result<Identity, PkiError> {
        let mut holders = lock(&self.holders);
        if let Some(known) = holders.get(&holder) {
            return Ok(known.clone());
        }
        let made = match &holder {
            Holder::Merchant(client) => {
                pki.merchant(&format!("{client} (test)"), MERCHANT_NUMBER, KEY)?
            }
            Holder::Person(person) => {
                pki.person(person.given_name(), person.surname(), person.number(), KEY)?
            }
            Holder::Sealing => pki.merchant("Sealing Service (test)", SEALING_NUMBER, KEY)?,
        };
        holders.insert(holder, made.clone());
        Ok(made)
    }
}

/// A moment of the virtual clock as certificates count it.
pub(crate) fn time(unix: u64) -> Time {
    Time::from_unix(i64::try_from(unix).unwrap_or(i64::MAX))
}
