//! A scanner for the small XML that signed data objects and manifests of containers are: every
//! element keeps the span of bytes it takes. Document types, entities of one's own, CDATA and
//! processing instructions are refused.

use std::borrow::Cow;
use std::ops::Range;

use crate::asn1::Malformed;

const WHAT: &str = "xml";
const MAX_DEPTH: usize = 32;
const MAX_ELEMENTS: usize = 20_000;
const MAX_ATTRIBUTES: usize = 32;

/// The namespaces the format uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Namespace {
    Sdo,
    Xades,
    Dsig,
    Asic,
    Other,
}

pub(crate) const SDO: &str = "http://www.npt.no/seid/xmlskjema/SDO_v1.0";
pub(crate) const XADES: &str = "http://uri.etsi.org/01903/v1.2.2#";
pub(crate) const DSIG: &str = "http://www.w3.org/2000/09/xmldsig#";
pub(crate) const ASIC: &str = "http://uri.etsi.org/02918/v1.2.1#";

impl Namespace {
    fn of(uri: &str) -> Self {
        match uri {
            SDO => Self::Sdo,
            DSIG => Self::Dsig,
            ASIC => Self::Asic,
            _ if uri.starts_with("http://uri.etsi.org/01903/v") => Self::Xades,
            _ => Self::Other,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Element<'a> {
    pub namespace: Namespace,
    pub local: &'a str,
    pub attributes: Vec<(&'a str, &'a str)>,
    /// From the first `<` to the last `>`.
    pub span: Range<usize>,
    /// Between start and end tag.
    pub content: Range<usize>,
    pub children: Vec<usize>,
}

#[derive(Debug)]
pub(crate) struct Document<'a> {
    source: &'a str,
    elements: Vec<Element<'a>>,
}

impl<'a> Document<'a> {
    /// Scans a whole file: one root element, UTF-8.
    pub(crate) fn scan(bytes: &'a [u8]) -> Result<Self, Malformed> {
        if bytes.len() > crate::sdo::MAX_SIZE {
            let limit = crate::sdo::MAX_SIZE;
            return Err(bad(
                0,
                &format!("{} bytes are more than the limit of {limit}", bytes.len()),
            ));
        }
        let source = std::str::from_utf8(bytes)
            .map_err(|error| bad(error.valid_up_to(), "the text is not utf-8"))?;
        let mut scanner =
            Scanner { source, at: 0, open: Vec::new(), names: Vec::new(), elements: Vec::new() };
        scanner.run()?;
        Ok(Self { source, elements: scanner.elements })
    }

    pub(crate) fn element(&self, index: usize) -> Result<&Element<'a>, Malformed> {
        self.elements.get(index).ok_or_else(|| bad(0, "there is no element"))
    }

    /// Children with this name.
    pub(crate) fn children(
        &self,
        parent: usize,
        namespace: Namespace,
        local: &str,
    ) -> Result<Vec<usize>, Malformed> {
        let of_name = |index: &usize| {
            self.element(*index).is_ok_and(|e| e.namespace == namespace && e.local == local)
        };
        Ok(self.element(parent)?.children.iter().copied().filter(of_name).collect())
    }

    /// The child with this name; two of them are an error, since readers would differ in which
    /// they take.
    pub(crate) fn child(
        &self,
        parent: usize,
        namespace: Namespace,
        local: &str,
    ) -> Result<Option<usize>, Malformed> {
        match self.children(parent, namespace, local)?.as_slice() {
            [] => Ok(None),
            [only] => Ok(Some(*only)),
            [_, second, ..] => {
                let at = self.element(*second)?.span.start;
                Err(bad(at, &format!("element {local} stands twice")))
            }
        }
    }

    /// The value of an attribute with character references resolved; nothing where it is absent.
    pub(crate) fn attribute(
        &self,
        index: usize,
        name: &str,
    ) -> Result<Option<Cow<'a, str>>, Malformed> {
        let element = self.element(index)?;
        let found = element.attributes.iter().find(|(known, _)| *known == name);
        let unknown = || bad(element.span.start, "an entity is not known");
        found.map(|(_, value)| unescape(value).ok_or_else(unknown)).transpose()
    }

    /// Follows single children by name, namespace by namespace.
    pub(crate) fn path(
        &self,
        from: usize,
        steps: &[(Namespace, &str)],
    ) -> Result<Option<usize>, Malformed> {
        let mut at = from;
        for (namespace, local) in steps {
            match self.child(at, *namespace, local)? {
                Some(next) => at = next,
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    /// The raw text of an element that holds nothing but text.
    pub(crate) fn raw_text(&self, index: usize) -> Result<&'a str, Malformed> {
        let element = self.element(index)?;
        let text = self.source.get(element.content.clone()).unwrap_or_default();
        if text.contains('<') {
            let why = format!("element {} holds more than text", element.local);
            return Err(bad(element.span.start, &why));
        }
        Ok(text)
    }

    /// The same with character references resolved.
    pub(crate) fn text(&self, index: usize) -> Result<Cow<'a, str>, Malformed> {
        let at = self.element(index)?.span.start;
        unescape(self.raw_text(index)?).ok_or_else(|| bad(at, "an entity is not known"))
    }
}

fn bad(at: usize, why: &str) -> Malformed {
    Malformed::new(WHAT, format!("{why} (byte {at})"))
}

struct Scanner<'a> {
    source: &'a str,
    at: usize,
    /// Open elements: index, qualified name, and how many namespace bindings stood before.
    open: Vec<(usize, &'a str, usize)>,
    names: Vec<(&'a str, &'a str)>,
    elements: Vec<Element<'a>>,
}

impl<'a> Scanner<'a> {
    fn run(&mut self) -> Result<(), Malformed> {
        self.at += if self.source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        self.declaration()?;
        while let Some(text) = self.until("<") {
            let blank = text.trim_ascii().is_empty();
            if self.open.is_empty() && !blank {
                return Err(self.fault("there is text outside the root element"));
            }
            self.markup()?;
        }
        let rest = self.source.get(self.at..).unwrap_or_default();
        if !rest.trim_ascii().is_empty() {
            return Err(self.fault("there is text outside the root element"));
        }
        if let Some((_, name, _)) = self.open.last() {
            return Err(self.fault(&format!("element {name} is not closed")));
        }
        if self.elements.is_empty() {
            return Err(self.fault("there is no element"));
        }
        Ok(())
    }

    fn fault(&self, why: &str) -> Malformed {
        bad(self.at, why)
    }

    fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or_default()
    }

    /// Moves to the next `mark` and returns what stands before it; nothing when there is none.
    fn until(&mut self, mark: &str) -> Option<&'a str> {
        let rest = self.rest();
        let length = rest.find(mark)?;
        self.at += length;
        rest.get(..length)
    }

    fn take(&mut self, mark: &str) -> bool {
        let found = self.rest().starts_with(mark);
        self.at += if found { mark.len() } else { 0 };
        found
    }

    fn declaration(&mut self) -> Result<(), Malformed> {
        if !self.take("<?xml") {
            return Ok(());
        }
        let body = self.until("?>").ok_or_else(|| self.fault("the declaration is not closed"))?;
        self.take("?>");
        let lower = body.to_ascii_lowercase();
        if let Some((_, encoding)) = lower.split_once("encoding") {
            let value = encoding.trim_start().trim_start_matches('=').trim_start();
            let value = value.trim_start_matches(['"', '\'']);
            if !value.starts_with("utf-8") {
                return Err(self.fault("the encoding is not utf-8"));
            }
        }
        Ok(())
    }

    fn markup(&mut self) -> Result<(), Malformed> {
        if self.take("<!--") {
            self.until("-->").ok_or_else(|| self.fault("a comment is not closed"))?;
            self.take("-->");
            return Ok(());
        }
        if self.rest().starts_with("<!") {
            return Err(self.fault("document types, entities and cdata are not accepted"));
        }
        if self.rest().starts_with("<?") {
            return Err(self.fault("processing instructions are not accepted"));
        }
        if self.rest().starts_with("</") { self.end_tag() } else { self.start_tag() }
    }

    fn end_tag(&mut self) -> Result<(), Malformed> {
        let start = self.at;
        self.take("</");
        let name = self.name()?;
        self.space();
        if !self.take(">") {
            return Err(self.fault("an end tag is broken"));
        }
        match self.open.pop() {
            Some((index, opened, bindings)) if opened == name => {
                self.names.truncate(bindings);
                if let Some(element) = self.elements.get_mut(index) {
                    element.content.end = start;
                    element.span.end = self.at;
                }
                Ok(())
            }
            _ => Err(self.fault(&format!("end tag {name} closes nothing that is open"))),
        }
    }

    fn start_tag(&mut self) -> Result<(), Malformed> {
        let start = self.at;
        self.take("<");
        if self.open.is_empty() && !self.elements.is_empty() {
            return Err(self.fault("there are two root elements"));
        }
        if self.open.len() == MAX_DEPTH || self.elements.len() == MAX_ELEMENTS {
            let why = format!("more than {MAX_DEPTH} levels or {MAX_ELEMENTS} elements");
            return Err(self.fault(&why));
        }
        let name = self.name()?;
        let bindings = self.names.len();
        let attributes = self.attributes()?;
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        let uri = self.names.iter().rev().find(|(known, _)| *known == prefix).map(|(_, uri)| *uri);
        let namespace = match uri {
            Some(uri) => Namespace::of(uri),
            None if prefix.is_empty() => Namespace::Other,
            None => return Err(self.fault(&format!("namespace prefix {prefix} is not declared"))),
        };
        let closed = self.take("/>");
        if !closed && !self.take(">") {
            return Err(self.fault("a start tag is broken"));
        }
        let index = self.elements.len();
        let (span, content) = (start..self.at, self.at..self.at);
        let children = Vec::new();
        self.elements.push(Element { namespace, local, attributes, span, content, children });
        if let Some((parent, _, _)) = self.open.last()
            && let Some(parent) = self.elements.get_mut(*parent)
        {
            parent.children.push(index);
        }
        if closed {
            self.names.truncate(bindings);
        } else {
            self.open.push((index, name, bindings));
        }
        Ok(())
    }

    fn attributes(&mut self) -> Result<Vec<(&'a str, &'a str)>, Malformed> {
        let mut attributes: Vec<(&str, &str)> = Vec::new();
        for count in 0.. {
            let spaced = self.space();
            if self.rest().starts_with('>') || self.rest().starts_with("/>") {
                break;
            }
            if !spaced || count == MAX_ATTRIBUTES {
                return Err(self.fault("attributes are broken or too many"));
            }
            let name = self.name()?;
            self.space();
            if !self.take("=") {
                return Err(self.fault(&format!("attribute {name} has no value")));
            }
            self.space();
            let quote = if self.take("\"") { "\"" } else { "'" };
            if quote == "'" && !self.take("'") {
                return Err(self.fault(&format!("attribute {name} is not quoted")));
            }
            let value = self.until(quote).ok_or_else(|| self.fault("a value is not closed"))?;
            self.take(quote);
            if value.contains('<') {
                return Err(self.fault(&format!("attribute {name} holds markup")));
            }
            match name.strip_prefix("xmlns") {
                Some("") => self.names.push(("", value)),
                Some(prefix) if prefix.starts_with(':') => {
                    self.names.push((prefix.trim_start_matches(':'), value));
                }
                _ if attributes.iter().any(|(known, _)| *known == name) => {
                    return Err(self.fault(&format!("attribute {name} stands twice")));
                }
                _ => attributes.push((name, value)),
            }
        }
        Ok(attributes)
    }

    fn space(&mut self) -> bool {
        let rest = self.rest();
        let trimmed = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        self.at += rest.len() - trimmed.len();
        rest.len() != trimmed.len()
    }

    fn name(&mut self) -> Result<&'a str, Malformed> {
        let rest = self.rest();
        let in_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
        let length = rest.find(|c: char| !in_name(c)).unwrap_or(rest.len());
        let name = rest.get(..length).unwrap_or_default();
        let first = name.chars().next();
        if !first.is_some_and(|c| c.is_alphabetic() || c == '_') || name.matches(':').count() > 1 {
            return Err(self.fault("a name is broken"));
        }
        self.at += length;
        Ok(name)
    }
}

/// Resolves the five predefined entities and numeric references.
fn unescape(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('&') {
        return Some(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let (name, tail) = after.split_once(';')?;
        out.push(match name {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            "apos" => '\'',
            _ => {
                let number = name.strip_prefix('#')?;
                let code = match number.strip_prefix('x') {
                    Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                    None => number.parse().ok()?,
                };
                char::from_u32(code)?
            }
        });
        rest = tail;
    }
    out.push_str(rest);
    Some(Cow::Owned(out))
}

/// Text made safe to stand between tags or inside quotes.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            // Other controls cannot stand in XML 1.0 at all.
            c if c.is_control() && !matches!(c, '\t' | '\n' | '\r') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_exact() {
        let text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<a xmlns='u' x=\"1\"><b>t &amp; u</b><b/></a>\n";
        let document = Document::scan(text.as_bytes()).unwrap();
        let root = document.element(0).unwrap();
        assert_eq!(root.attributes, [("x", "1")]);
        let inner = document.children(0, Namespace::Other, "b").unwrap();
        assert_eq!(inner.len(), 2);
        assert_eq!(&text[document.element(inner[0]).unwrap().span.clone()], "<b>t &amp; u</b>");
        assert_eq!(document.text(inner[0]).unwrap(), "t & u");
        assert_eq!(document.text(inner[1]).unwrap(), "");
        assert!(document.child(0, Namespace::Other, "b").is_err(), "two of them");
    }

    #[test]
    fn what_is_not_accepted() {
        let deep = "<a>".repeat(40) + &"</a>".repeat(40);
        let many = format!("<a>{}</a>", "<b/>".repeat(MAX_ELEMENTS));
        let cases: [&[u8]; 23] = [
            b"",
            b"text",
            b"<a>",
            b"</a>",
            b"<a></b>",
            b"<a/><b/>",
            b"<a/>text",
            b"<!DOCTYPE a><a/>",
            b"<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>",
            b"<a><![CDATA[x]]></a>",
            b"<?pi x?><a/>",
            b"<a><?pi x?></a>",
            b"<a x=1/>",
            b"<a x='1' x='2'/>",
            b"<a x='<'/>",
            b"<a x='1'y='2'/>",
            b"<p:a/>",
            b"<a><!-- </a>",
            b"<?xml encoding='iso-8859-1'?><a/>",
            b"<a>\xff</a>",
            b"< a/>",
            deep.as_bytes(),
            many.as_bytes(),
        ];
        for case in cases {
            let shown = String::from_utf8_lossy(case).chars().take(40).collect::<String>();
            assert!(Document::scan(case).is_err(), "{shown}");
        }
        let split = Document::scan(b"<a><b>x<!-- -->y</b></a>").unwrap();
        assert!(split.raw_text(1).is_err(), "a comment inside text");
        let entity = Document::scan(b"<a>&other;</a>").unwrap();
        assert!(entity.text(0).is_err());
    }

    #[test]
    fn namespaces_are_scoped() {
        let text = format!("<x:a xmlns:x='{SDO}'><a xmlns='{DSIG}'/><x:b/><c/></x:a>");
        let document = Document::scan(text.as_bytes()).unwrap();
        let kinds: Vec<_> = document.elements.iter().map(|e| (e.namespace, e.local)).collect();
        assert_eq!(
            kinds,
            [
                (Namespace::Sdo, "a"),
                (Namespace::Dsig, "a"),
                (Namespace::Sdo, "b"),
                (Namespace::Other, "c")
            ]
        );
    }

    #[test]
    fn escaping_round_trips() {
        let text = "a < b & \"c\" > d \u{1}";
        assert_eq!(unescape(&escape(text)).unwrap(), "a < b & \"c\" > d \u{fffd}");
        assert_eq!(unescape("&#65;&#x42;").unwrap(), "AB");
        assert_eq!(unescape("&#xd800;"), None);
        assert_eq!(unescape("&lt"), None);
    }
}
