//! A moment in time with the resolution of X.509: whole seconds in UTC.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use super::Malformed;

/// Seconds since 1970-01-01T00:00:00Z (leap seconds not counted).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Time(i64);

/// 9999-12-31T23:59:59Z, the last time GeneralizedTime can hold.
const LAST: i64 = 253_402_300_799;
/// 0000-01-01T00:00:00Z.
const FIRST: i64 = -62_167_219_200;

impl Time {
    /// A time from seconds since 1970; values beyond the years 0 to 9999 are clamped.
    #[must_use]
    pub fn from_unix(seconds: i64) -> Self {
        Self(seconds.clamp(FIRST, LAST))
    }

    /// The time of the machine's clock.
    #[must_use]
    pub fn now() -> Self {
        match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => Self::from_unix(i64::try_from(since.as_secs()).unwrap_or(LAST)),
            Err(before) => Self::from_unix(
                i64::try_from(before.duration().as_secs()).map_or(FIRST, |seconds| -seconds),
            ),
        }
    }

    /// A time from a calendar date in UTC, or nothing when there is no such date.
    #[must_use]
    pub fn from_civil(year: i64, month: i64, day: i64, h: i64, m: i64, s: i64) -> Option<Self> {
        let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        let days = match month {
            4 | 6 | 9 | 11 => 30,
            2 if leap => 29,
            2 => 28,
            1..=12 => 31,
            _ => return None,
        };
        let in_range = (0..=9999).contains(&year)
            && (1..=days).contains(&day)
            && (0..24).contains(&h)
            && (0..60).contains(&m)
            && (0..60).contains(&s);
        in_range.then(|| Self(days_from_civil(year, month, day) * 86_400 + h * 3_600 + m * 60 + s))
    }

    /// Seconds since 1970.
    #[must_use]
    pub fn unix(self) -> i64 {
        self.0
    }

    /// This time moved by a number of seconds, which may be negative.
    #[must_use]
    pub fn plus_seconds(self, seconds: i64) -> Self {
        Self::from_unix(self.0.saturating_add(seconds))
    }

    /// Seconds from `earlier` to this time; negative when this time is before it.
    #[must_use]
    pub fn seconds_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Year, month, day, hour, minute and second in UTC.
    #[must_use]
    pub fn civil(self) -> (i64, i64, i64, i64, i64, i64) {
        let (year, month, day) = civil_from_days(self.0.div_euclid(86_400));
        let rest = self.0.rem_euclid(86_400);
        (year, month, day, rest / 3_600, rest / 60 % 60, rest % 60)
    }

    /// Reads the content of a GeneralizedTime: `YYYYMMDDHHMMSS[.f]Z`. Fractions are cut off.
    ///
    /// # Errors
    /// When it has another form (offsets and missing seconds are not allowed in certificates) or
    /// names no date.
    pub fn from_generalized(content: &[u8]) -> Result<Self, Malformed> {
        let (whole, rest) = content.split_at_checked(14).ok_or_else(|| bad_time(content))?;
        let fraction = match rest {
            [b'Z'] => true,
            [b'.', digits @ .., b'Z'] => {
                !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
            }
            _ => false,
        };
        let (year, rest) = whole.split_at_checked(4).ok_or_else(|| bad_time(content))?;
        match (fraction, number(year), five_pairs(rest)) {
            (true, Some(year), Some([month, day, h, m, s])) => {
                Self::from_civil(year, month, day, h, m, s)
            }
            _ => None,
        }
        .ok_or_else(|| bad_time(content))
    }

    /// Reads the content of a UTCTime: `YYMMDDHHMMSSZ`, years 1950 to 2049 (RFC 5280).
    ///
    /// # Errors
    /// When it has another form or names no date.
    pub fn from_utc_time(content: &[u8]) -> Result<Self, Malformed> {
        let (year, rest) = content.split_at_checked(2).ok_or_else(|| bad_time(content))?;
        let pairs = rest.strip_suffix(b"Z").and_then(|rest| {
            // Seconds are left out by some old authorities (X.690 allows it in BER).
            if rest.len() == 8 { five_pairs(&[rest, b"00"].concat()) } else { five_pairs(rest) }
        });
        match (number(year), pairs) {
            (Some(year), Some([month, day, h, m, s])) => {
                let year = if year >= 50 { 1900 + year } else { 2000 + year };
                Self::from_civil(year, month, day, h, m, s)
            }
            _ => None,
        }
        .ok_or_else(|| bad_time(content))
    }

    /// The content of a GeneralizedTime: `YYYYMMDDHHMMSSZ`.
    #[must_use]
    pub fn to_generalized(self) -> String {
        let (year, month, day, h, m, s) = self.civil();
        format!("{year:04}{month:02}{day:02}{h:02}{m:02}{s:02}Z")
    }
}

impl fmt::Display for Time {
    /// RFC 3339 in UTC: `2026-11-20T12:00:00Z`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day, h, m, s) = self.civil();
        write!(f, "{year:04}-{month:02}-{day:02}T{h:02}:{m:02}:{s:02}Z")
    }
}

fn bad_time(content: &[u8]) -> Malformed {
    let shown = String::from_utf8_lossy(content.get(..24).unwrap_or(content)).into_owned();
    Malformed::new("time", format!("{shown:?} is no date in the form YYYYMMDDHHMMSSZ"))
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0_i64, |sum, digit| {
        digit.is_ascii_digit().then(|| sum * 10 + i64::from(digit - b'0'))
    })
}

fn five_pairs(digits: &[u8]) -> Option<[i64; 5]> {
    let (pairs, rest) = digits.as_chunks::<2>();
    let [a, b, c, d, e] = pairs else { return None };
    if !rest.is_empty() {
        return None;
    }
    Some([number(a)?, number(b)?, number(c)?, number(d)?, number(e)?])
}

// Days and civil dates: the usual 400-year era arithmetic with the year starting in March.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_moments() {
        let time = Time::from_generalized(b"20261120120000Z").unwrap();
        assert_eq!(time.unix(), 1_795_176_000);
        assert_eq!(time.to_string(), "2026-11-20T12:00:00Z");
        assert_eq!(Time::from_utc_time(b"261120120000Z").unwrap(), time);
        assert_eq!(Time::from_utc_time(b"2611201200Z").unwrap(), time);
        assert_eq!(Time::from_generalized(b"20261120120000.25Z").unwrap(), time);
        assert_eq!(Time::from_utc_time(b"500101000000Z").unwrap().civil().0, 1950);
        assert_eq!(Time::from_unix(0).to_string(), "1970-01-01T00:00:00Z");
        assert_eq!(
            Time::from_civil(2024, 2, 29, 0, 0, 0).unwrap().to_generalized(),
            "20240229000000Z"
        );
    }

    #[test]
    fn every_day_of_eight_centuries_round_trips() {
        for day in (-150_000..150_000).step_by(1) {
            let time = Time::from_unix(day * 86_400 + 3_661);
            let (y, m, d, h, min, s) = time.civil();
            assert_eq!(Time::from_civil(y, m, d, h, min, s), Some(time));
        }
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "20230229000000Z",
            "2026112012000",
            "20261120120000",
            "20261120120000.Z",
            "2026112012000ÆZ",
        ] {
            assert!(Time::from_generalized(text.as_bytes()).is_err(), "{text}");
        }
        for text in ["", "Z", "261320120000Z", "26112012000Z", "261120120000+0100"] {
            assert!(Time::from_utc_time(text.as_bytes()).is_err(), "{text}");
        }
    }
}
