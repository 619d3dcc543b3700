//! Signed text is ISO 8859-1, one byte for each character.

/// The bytes that are signed for a text; nothing when a character has no place in ISO 8859-1.
#[must_use]
pub fn to_iso_8859_1(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|character| u8::try_from(u32::from(character)).ok()).collect()
}

/// The text of signed bytes.
#[must_use]
pub fn from_iso_8859_1(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn norwegian_letters_take_one_byte() {
        let bytes = to_iso_8859_1("blåbærsyltetøy").unwrap();
        assert_eq!(bytes.len(), 14);
        assert_eq!(from_iso_8859_1(&bytes), "blåbærsyltetøy");
        assert_eq!(to_iso_8859_1("€"), None);
    }
}
