//! The smoke run: every seed as it is, then changed ones, as many as asked for, the same ones
//! every time. No time is measured, so that a busy machine does not fail it.

use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Xorshift (Marsaglia 2003): small, and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % limit.max(1)
    }

    fn pick<'a>(&mut self, list: &'a [impl AsRef<[u8]>]) -> &'a [u8] {
        list.get(self.below(list.len())).map_or(&[], |item| item.as_ref())
    }
}

/// How often a target runs: `SIGNDOC_SMOKE_EXECUTIONS`, else its own number.
fn executions(default: usize) -> usize {
    let wanted = env::var("SIGNDOC_SMOKE_EXECUTIONS").ok();
    wanted.map_or(default, |text| text.parse().expect("SIGNDOC_SMOKE_EXECUTIONS is no number"))
}

/// Runs one target; its name is that of the libFuzzer target.
pub fn smoke(
    name: &str,
    default: usize,
    seeds: &[Vec<u8>],
    words: &[&[u8]],
    run: fn(&[u8]) -> bool,
) {
    assert!(!seeds.is_empty() && !words.is_empty());
    let wanted = executions(default).max(seeds.len());
    let mut good = 0;
    for (index, seed) in seeds.iter().enumerate() {
        good += usize::from(guarded(name, &format!("seed {index}"), seed, run));
    }
    assert!(good > 0, "{name} finds no seed good: it would notice nothing");
    let good_seeds = good;
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for round in seeds.len()..wanted {
        let input = mutated(seeds, words, &mut random);
        good += usize::from(guarded(name, &format!("execution {round}"), &input, run));
    }
    let (seeds, still_good) = (seeds.len(), good - good_seeds);
    println!(
        "smoke {name}: {wanted} executions; {good_seeds} of {seeds} seeds and {still_good} of the \
         changed ones found good"
    );
}

fn guarded(name: &str, which: &str, input: &[u8], run: fn(&[u8]) -> bool) -> bool {
    if let Ok(good) = catch_unwind(AssertUnwindSafe(|| run(input))) {
        return good;
    }
    let path = env::temp_dir().join(format!("signdoc-smoke-{name}"));
    let kept = std::fs::write(&path, input).is_ok();
    let place = if kept { path.display().to_string() } else { "not written".to_owned() };
    panic!("{name}, {which}: the panic is above, its input of {} bytes: {place}", input.len());
}

fn mutated(seeds: &[Vec<u8>], words: &[&[u8]], random: &mut Random) -> Vec<u8> {
    let mut out = random.pick(seeds).to_vec();
    // Most inputs differ in little, so that they get deep.
    let changes = if random.below(2) == 0 { 1 } else { 1 + random.below(6) };
    for _ in 0..changes {
        change(&mut out, seeds, words, random);
    }
    if random.below(12) == 0 {
        let len = random.below(out.len());
        out.truncate(len);
    }
    out
}

fn change(out: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[&[u8]], random: &mut Random) {
    let at = random.below(out.len());
    let Some(byte) = out.get(at).copied() else {
        out.extend(random.pick(words));
        return;
    };
    match random.below(10) {
        0 => out[at] = u8::try_from(random.below(256)).unwrap(),
        1 => out[at] = byte ^ (1 << random.below(8)),
        2 => out[at] = byte.wrapping_add(1),
        3 => out[at] = [0, 1, 0x7f, 0x80, 0xff, b'0', b'9', b' '][random.below(8)],
        4 => drop(out.splice(at..at, random.pick(words).iter().copied())),
        5 => {
            let word = random.pick(words);
            let end = (at + word.len()).min(out.len());
            out.splice(at..end, word.iter().copied());
        }
        6 => {
            let end = (at + random.below(40)).min(out.len());
            out.drain(at..end);
        }
        7 => {
            let part = piece(out, random, 200);
            out.splice(at..at, part);
        }
        8 => {
            let part = piece(random.pick(seeds), random, 400);
            let end = (at + part.len()).min(out.len());
            out.splice(at..end, part);
        }
        _ => number(out, at, random),
    }
}

fn piece(from: &[u8], random: &mut Random, longest: usize) -> Vec<u8> {
    let start = random.below(from.len());
    let end = (start + 1 + random.below(longest)).min(from.len());
    from.get(start..end).unwrap_or_default().to_vec()
}

/// Another number where the next decimal number stands: offsets, lengths, counts.
fn number(out: &mut Vec<u8>, at: usize, random: &mut Random) {
    let digit = |byte: &u8| byte.is_ascii_digit();
    let Some(start) = out[at..].iter().position(digit).map(|n| at + n) else { return };
    let end = out[start..].iter().position(|byte| !digit(byte)).map_or(out.len(), |n| start + n);
    let len = out.len();
    let value = match random.below(6) {
        0 => 0,
        1 => random.below(20),
        2 => random.below(len * 2),
        3 => usize::from(u16::MAX) + random.below(3),
        4 => usize::try_from(u32::MAX).unwrap() - random.below(3),
        _ => usize::MAX - random.below(3),
    };
    out.splice(start..end, value.to_string().into_bytes());
}
