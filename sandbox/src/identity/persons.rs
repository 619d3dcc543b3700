//! The end users that exist here. All of them are made up.

use serde::Deserialize;

/// A made-up person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Person {
    /// Kari Nordmann
    #[default]
    Kari,
    /// Ola Nordmann
    Ola,
    /// Åse Ødegård
    Ase,
}

impl Person {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Kari, Self::Ola, Self::Ase];

    /// The word by which forms and the control surface know the person.
    pub fn key(self) -> &'static str {
        match self {
            Self::Kari => "kari",
            Self::Ola => "ola",
            Self::Ase => "ase",
        }
    }

    pub(crate) fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|person| person.key() == key)
    }

    /// Given name.
    pub fn given_name(self) -> &'static str {
        match self {
            Self::Kari => "Kari",
            Self::Ola => "Ola",
            Self::Ase => "Åse",
        }
    }

    /// Surname.
    pub fn surname(self) -> &'static str {
        match self {
            Self::Kari | Self::Ola => "Nordmann",
            Self::Ase => "Ødegård",
        }
    }

    /// Given name and surname.
    pub fn name(self) -> String {
        format!("{} {}", self.given_name(), self.surname())
    }

    /// The number in the person's certificate and stable identifier.
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::Kari => 10_001,
            Self::Ola => 10_002,
            Self::Ase => 10_003,
        }
    }

    /// The stable identifier of the ID token, which also stands in the certificate.
    pub(crate) fn stable_id(self) -> String {
        format!("9578-6000-4-{}", self.number())
    }

    pub(crate) fn birthdate(self) -> &'static str {
        match self {
            Self::Kari => "1985-04-12",
            Self::Ola => "1979-11-30",
            Self::Ase => "1992-02-29",
        }
    }
}
