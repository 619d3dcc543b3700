//! Dates as PDF writes them (ISO 32000-2, 7.9.4): `D:YYYYMMDDHHmmSSOHH'mm`.

use crate::asn1::Time;

/// The moment of a date string; parts from the month on may be missing.
pub(super) fn parse(text: &str) -> Option<Time> {
    let rest = text.trim().strip_prefix("D:").unwrap_or(text.trim());
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count().min(14);
    let (date, zone) = rest.split_at_checked(digits)?;
    if digits < 4 || digits % 2 != 0 {
        return None;
    }
    let part = |from: usize, len: usize, missing: i64| match date.get(from..from + len) {
        Some(digits) => digits.parse().ok(),
        None => Some(missing),
    };
    let time = Time::from_civil(
        part(0, 4, 0)?,
        part(4, 2, 1)?,
        part(6, 2, 1)?,
        part(8, 2, 0)?,
        part(10, 2, 0)?,
        part(12, 2, 0)?,
    )?;
    Some(time.plus_seconds(-offset(zone)?))
}

/// Seconds east of UTC; an unknown zone counts as UTC.
fn offset(zone: &str) -> Option<i64> {
    let sign = match zone.bytes().next() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        None | Some(b'Z') => return Some(0),
        Some(_) => return None,
    };
    let digits: String = zone.chars().filter(char::is_ascii_digit).collect();
    let part = |from: usize| digits.get(from..from + 2).map_or(Some(0), |d| d.parse::<i64>().ok());
    let (hours, minutes) = (part(0)?, part(2)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_in_their_forms() {
        let time = |text: &str| parse(text).map(|t| t.to_string());
        let noon = Some("2026-11-20T12:00:00Z".to_owned());
        assert_eq!(time("D:20261120120000Z"), noon);
        assert_eq!(time("D:20261120130000+01'00'"), noon);
        assert_eq!(time("20261120083000-0330"), noon);
        assert_eq!(time("D:202611201200"), noon);
        assert_eq!(time("D:2026"), Some("2026-01-01T00:00:00Z".to_owned()));
        for wrong in ["", "D:", "D:20261", "D:20261320", "D:20261120120000X", "yesterday"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
