//! Whether a colour profile is sRGB (IEC 61966-2-1), which readers take colours for anyhow.
//!
//! Signers whose seals hold pictures declare it. Any other profile could turn black into white, so
//! nothing in it is taken on trust: not its name, but its primaries and curves are looked at.

/// A profile of primaries and curves is a few kB.
pub(super) const MAX_PROFILE: usize = 64 << 10;
/// How far primaries and curves may be off, which nobody sees.
const TOLERANCE: f64 = 0.005;
/// Red, green and blue, adapted to D50.
const PRIMARIES: [(&[u8], [f64; 3]); 3] = [
    (b"rXYZ", [0.4360, 0.2225, 0.0139]),
    (b"gXYZ", [0.3851, 0.7169, 0.0971]),
    (b"bXYZ", [0.1431, 0.0606, 0.7141]),
];
const CURVES: [&[u8]; 3] = [b"rTRC", b"gTRC", b"bTRC"];
/// Tags that say something about the profile or the screen, and change no colour. Tables (`A2B0`)
/// would take the place of primaries and curves.
const WORDS: [&[u8]; 14] = [
    b"bkpt", b"chrm", b"cprt", b"desc", b"dmdd", b"dmnd", b"lumi", b"meas", b"tech", b"view",
    b"vued", b"wtpt", b"calt", b"targ",
];

/// Whether an ICC profile (ISO 15076-1) describes sRGB and nothing else.
pub(super) fn is_srgb(profile: &[u8]) -> bool {
    let is = |at: usize, text: &[u8]| profile.get(at..at + 4) == Some(text);
    let is_display = is(12, b"mntr") && is(16, b"RGB ") && is(20, b"XYZ ") && is(36, b"acsp");
    is_display && profile.len() <= MAX_PROFILE && are_tags_srgb(profile).unwrap_or(false)
}

fn are_tags_srgb(profile: &[u8]) -> Option<bool> {
    let count = number(profile, 128)?;
    let mut found = 0;
    for index in 0..count {
        let at = 132 + 12 * usize::try_from(index).ok()?;
        let name = profile.get(at..at + 4)?;
        let start = usize::try_from(number(profile, at + 4)?).ok()?;
        let length = usize::try_from(number(profile, at + 8)?).ok()?;
        let data = profile.get(start..start.checked_add(length)?)?;
        let is_right = match PRIMARIES.iter().find(|(tag, _)| *tag == name) {
            Some((_, expected)) => is_point(data, expected),
            None if CURVES.contains(&name) => is_curve(data),
            None => WORDS.contains(&name),
        };
        if !is_right {
            return Some(false);
        }
        found += usize::from(!WORDS.contains(&name));
    }
    // Each of the six once.
    Some(found == PRIMARIES.len() + CURVES.len() && !has_repeated_tags(profile, count))
}

fn has_repeated_tags(profile: &[u8], count: u32) -> bool {
    let mut names: Vec<_> = profile
        .get(132..)
        .unwrap_or_default()
        .as_chunks::<12>()
        .0
        .iter()
        .take(usize::try_from(count).unwrap_or(usize::MAX))
        .map(|tag| tag.get(..4))
        .collect();
    names.sort_unstable();
    names.windows(2).any(|pair| pair.first() == pair.get(1))
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|four| u32::from_be_bytes(*four))
}

fn is_point(data: &[u8], expected: &[f64; 3]) -> bool {
    let value = |index: usize| {
        number(data, 8 + 4 * index).map(|bits| f64::from(bits.cast_signed()) / 65536.0)
    };
    data.starts_with(b"XYZ ")
        && expected.iter().enumerate().all(|(index, expected)| {
            value(index).is_some_and(|value| (value - expected).abs() <= TOLERANCE)
        })
}

/// A curve of samples, or the parametric one of the standard.
fn is_curve(data: &[u8]) -> bool {
    let Some(count) = number(data, 8).filter(|count| *count >= 256) else { return false };
    let samples = data.get(12..).unwrap_or_default().as_chunks::<2>().0;
    data.starts_with(b"curv")
        && usize::try_from(count).is_ok_and(|count| count == samples.len())
        && samples.iter().enumerate().all(|(index, sample)| {
            let given = f64::from(u32::try_from(index).unwrap_or(u32::MAX)) / f64::from(count - 1);
            let value = f64::from(u16::from_be_bytes(*sample)) / 65535.0;
            (value - linear(given)).abs() <= TOLERANCE
        })
}

/// IEC 61966-2-1, 5.2.
fn linear(value: f64) -> f64 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn tag(kind: &[u8; 4], values: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
        [kind.as_slice(), &[0; 4]].concat().into_iter().chain(values.flatten()).collect()
    }

    /// A profile with the given curve.
    pub(crate) fn profile(curve: impl Fn(f64) -> f64, extra: Option<&[u8; 4]>) -> Vec<u8> {
        let mut tags: Vec<(Vec<u8>, Vec<u8>)> = PRIMARIES
            .iter()
            .map(|(name, point)| {
                let values = point.iter().map(|v| ((v * 65536.0) as i32).to_be_bytes().to_vec());
                (name.to_vec(), tag(b"XYZ ", values))
            })
            .collect();
        let samples: Vec<Vec<u8>> = (0..1024)
            .map(|n| ((curve(f64::from(n) / 1023.0) * 65535.0) as u16).to_be_bytes().to_vec())
            .collect();
        for name in CURVES {
            let head = vec![1024u32.to_be_bytes().to_vec()];
            tags.push((name.to_vec(), tag(b"curv", head.into_iter().chain(samples.clone()))));
        }
        tags.push((b"desc".to_vec(), b"desc".to_vec()));
        tags.extend(extra.map(|name| (name.to_vec(), b"mft2".to_vec())));
        let mut out = vec![0; 128];
        out[12..24].copy_from_slice(b"mntrRGB XYZ ");
        out[36..40].copy_from_slice(b"acsp");
        out.extend((tags.len() as u32).to_be_bytes());
        let mut at = out.len() + 12 * tags.len();
        for (name, data) in &tags {
            out.extend(name);
            out.extend((at as u32).to_be_bytes());
            out.extend((data.len() as u32).to_be_bytes());
            at += data.len();
        }
        tags.iter().for_each(|(_, data)| out.extend(data));
        out
    }

    #[test]
    fn only_srgb_is_srgb() {
        let right = profile(linear, None);
        assert!(is_srgb(&right));
        assert!(!is_srgb(&profile(|value| 1.0 - linear(value), None)), "black and white swapped");
        assert!(!is_srgb(&profile(|_| 1.0, None)), "all is white");
        assert!(!is_srgb(&profile(linear, Some(b"A2B0"))), "a table takes its place");
        assert!(!is_srgb(&profile(linear, Some(b"rTRC"))), "a second curve");
        for cut in [0, 20, 127, 131, 140, 200, right.len() - 1] {
            assert!(!is_srgb(&right[..cut]), "{cut}");
        }
        let swapped = [&right[..132], b"gXYZ", &right[136..144], b"rXYZ", &right[148..]].concat();
        assert!(!is_srgb(&swapped), "red and green swapped");
    }
}
