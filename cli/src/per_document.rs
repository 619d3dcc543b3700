//! Flags that are about documents: once for all of them, or once for each.

use signdoc::{Code, Error, Result};

/// The word that leaves a document out.
pub(crate) const NONE: &str = "none";
/// How help texts tell it.
pub(crate) const RULE: &str = "A flag that is given once for each document takes them in their \
     order; the word none leaves one out.";
pub(crate) const ONCE: &str = "once for all documents, or once for each";

/// A value for each of `count` documents: the one that was given, or each its own.
pub(crate) fn spread<T: Clone>(
    flag: &str,
    given: Vec<T>,
    count: usize,
    documents: &str,
) -> Result<Vec<Option<T>>> {
    match given.as_slice() {
        [] => Ok(vec![None; count]),
        [one] => Ok(vec![Some(one.clone()); count]),
        several if several.len() == count => Ok(given.into_iter().map(Some).collect()),
        several => Err(refused(format!(
            "--{flag} is given {} times for {count} {documents}; give it once for all of them, or {count} times, once for each in their order",
            several.len()
        ))),
    }
}

/// As [`spread`], for what no two documents share.
pub(crate) fn each<T>(flag: &str, given: Vec<T>, count: usize) -> Result<Vec<Option<T>>> {
    if given.is_empty() {
        return Ok((0..count).map(|_| None).collect());
    }
    if given.len() == count {
        return Ok(given.into_iter().map(Some).collect());
    }
    let times = |n: usize| if n == 1 { "once".to_owned() } else { format!("{n} times") };
    let documents = if count == 1 { "document" } else { "documents" };
    Err(refused(format!(
        "--{flag} is given {} for {count} {documents}; give it {}, once for each in their order",
        times(given.len()),
        times(count)
    )))
}

/// The numbers of a position: `X,Y` and what may follow.
pub(crate) fn numbers(flag: &str, text: &str, counts: &[usize], form: &str) -> Result<Vec<f64>> {
    let read = |part: &str| part.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let numbers: Option<Vec<f64>> = text.split(',').map(read).collect();
    numbers.filter(|numbers| counts.contains(&numbers.len())).ok_or_else(|| {
        refused(format!(
            "--{flag} is {text:?}; give {form} in points from the upper left corner, such as 40,700,1"
        ))
    })
}

/// A page number, which has no fraction.
pub(crate) fn page(flag: &str, text: &str, number: Option<&f64>) -> Result<u32> {
    let number = number.copied().unwrap_or(1.0);
    if number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number) {
        return Ok(number as u32);
    }
    Err(refused(format!("--{flag} is {text:?}, whose page is {number}; pages are counted from 1")))
}

/// What is wrong with the command line.
pub(crate) fn refused(why: String) -> Error {
    Error::new(Code::InvalidOption, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_holds_for_all_and_several_for_one_each() {
        let spread = |given: &[u8], count| spread("seal", given.to_vec(), count, "documents");
        assert_eq!(spread(&[], 2).unwrap(), [None, None]);
        assert_eq!(spread(&[7], 2).unwrap(), [Some(7), Some(7)]);
        assert_eq!(spread(&[7, 8], 2).unwrap(), [Some(7), Some(8)]);
        let told = spread(&[7, 8], 3).unwrap_err();
        assert_eq!(told.code(), Code::InvalidOption);
        for part in ["--seal", "2 times", "3 documents"] {
            assert!(told.message().contains(part), "{told}");
        }
    }

    #[test]
    fn what_no_two_documents_share_is_given_for_each() {
        let each = |given: &[u8], count| each("description", given.to_vec(), count);
        assert_eq!(each(&[], 1).unwrap(), [None]);
        assert_eq!(each(&[7], 1).unwrap(), [Some(7)]);
        let told = each(&[7], 3).unwrap_err();
        assert!(
            told.message().contains("is given once for 3 documents; give it 3 times"),
            "{told}"
        );
        let told = each(&[7, 8], 1).unwrap_err();
        assert!(told.message().contains("is given 2 times for 1 document; give it once"), "{told}");
    }

    #[test]
    fn positions_are_numbers() {
        let read = |text| numbers("seal", text, &[2, 3], "X,Y or X,Y,PAGE");
        assert_eq!(read("40, 700.5").unwrap(), [40.0, 700.5]);
        assert_eq!(read("40,700,2").unwrap(), [40.0, 700.0, 2.0]);
        for bad in ["", "40", "40;700", "1,2,3,4", "a,b", "inf,1"] {
            assert!(read(bad).unwrap_err().message().contains("give X,Y or X,Y,PAGE"), "{bad}");
        }
        assert_eq!(page("seal", "1,2", None).unwrap(), 1);
        assert_eq!(page("seal", "1,2,0", Some(&0.0)).unwrap(), 0);
        assert!(page("seal", "1,2,1.5", Some(&1.5)).is_err());
        assert!(page("seal", "1,2,-1", Some(&-1.0)).is_err());
    }
}
