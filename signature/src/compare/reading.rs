//! What a revision changes, read in the order in which the file holds it.

use super::step::Step;
use crate::pdf::{Location, ObjRef, Object, PdfError};

/// Memory that the values of one revision and those before them may take, roughly.
const MAX_HELD: usize = 128 << 20;

/// The value before and after of each object. Objects in object streams are read one stream after
/// the other: in the order of their numbers, two large streams would drive each other out of
/// memory and be decoded for each object.
pub(super) fn values(
    step: &Step<'_>,
    ids: &[(ObjRef, Location)],
) -> Vec<(Object, Result<Object, String>)> {
    let work = step.context.document.work();
    let mut held = 0;
    let mut hold = |object: &Object| {
        held += object.weight();
        if held > MAX_HELD {
            let detail = format!("the values of one update take more than {MAX_HELD} bytes");
            work.note(&PdfError::limit(detail));
        }
        work.reached().is_none()
    };
    let mut values: Vec<_> = ids.iter().map(|_| (Object::Null, Ok(Object::Null))).collect();
    for place in ordered(ids.iter().map(|(_, location)| Some(*location))) {
        let (Some((id, location)), Some(value)) = (ids.get(place), values.get_mut(place)) else {
            continue;
        };
        if *location != Location::Free {
            value.1 = step.read_after(*id, *location);
        }
        if !value.1.as_ref().is_ok_and(&mut hold) && work.reached().is_some() {
            return Vec::new();
        }
    }
    let known = |place: usize| step.before.location(ids.get(place)?.0.number);
    for place in ordered((0..ids.len()).map(|place| known(place).map(|(_, location)| location))) {
        let (Some((id, _)), Some(value)) = (known(place), values.get_mut(place)) else { continue };
        // What could not be read before cannot be compared; it counts as something else.
        value.0 = step.before.get(id).map_or(Object::Bool(false), |found| found.object);
        if !hold(&value.0) {
            return Vec::new();
        }
    }
    values
}

/// Places of the locations in the order in which they are read.
fn ordered(locations: impl Iterator<Item = Option<Location>>) -> Vec<usize> {
    let key = |location: Option<Location>| match location {
        None | Some(Location::Free) => (0, 0, 0),
        Some(Location::At { offset }) => (1, offset, 0),
        Some(Location::InStream { container, index }) => (2, u64::from(container), index),
    };
    let mut places: Vec<_> = locations.map(key).enumerate().collect();
    places.sort_unstable_by_key(|(place, key)| (*key, *place));
    places.into_iter().map(|(place, _)| place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn object_streams_are_read_one_after_the_other() {
        let packed = |container, index| Some(Location::InStream { container, index });
        let locations =
            [packed(9, 1), packed(4, 0), packed(9, 0), Some(Location::At { offset: 70 }), None];
        assert_eq!(ordered(locations.into_iter()), [4, 3, 1, 2, 0]);
    }
}
