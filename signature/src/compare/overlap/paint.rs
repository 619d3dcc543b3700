//! Follows a page's content far enough to say what is painted on a place.
//!
//! Clipping and visibility are not followed: what is listed may be hidden, but what shows is
//! listed.

use std::collections::HashMap;
use std::rc::Rc;

use super::font::Font;
use super::matrix::{Bounds, Matrix};
use crate::compare::content::{Operation, Operations};
use crate::pdf::{Dict, Object, Page, PdfString, Rect, Stream, View};

/// Content that is decoded for one page, and for one form.
const MAX_CONTENT: usize = 2 << 20;
const MAX_OPERATIONS: usize = 2_000_000;
const MAX_DEPTH: usize = 8;
const MAX_STATES: usize = 256;
const MAX_TEXTS: usize = 100;
const MAX_FONTS: usize = 64;

/// What is painted on a place.
#[derive(Debug, Default)]
pub(super) struct Painted {
    pub(super) text: Vec<String>,
    pub(super) images: usize,
    pub(super) drawings: usize,
    /// Why something could not be followed.
    pub(super) unread: Option<String>,
}

/// Follows the content of the page.
pub(super) fn below(view: &View<'_>, page: &Page, place: &Rect) -> Painted {
    let mut painter = Painter {
        view,
        place: *place,
        painted: Painted::default(),
        operations_left: MAX_OPERATIONS,
        fonts: HashMap::new(),
    };
    let content = match page_content(view, page) {
        Ok(content) => content,
        Err(reason) => {
            painter.painted.unread = Some(reason);
            return painter.painted;
        }
    };
    let resources = match view.resolve(&page.resources) {
        Ok(Object::Dict(resources)) => resources,
        _ => Dict::new(),
    };
    painter.follow(&content, &resources, Matrix::IDENTITY, 0);
    painter.painted
}

/// The streams of a page, one after the other (7.8.2).
fn page_content(view: &View<'_>, page: &Page) -> Result<Vec<u8>, String> {
    let contents = view.lookup(&page.dict, "Contents").map_err(|error| error.to_string())?;
    let parts = match contents {
        Object::Array(parts) => parts,
        Object::Null => Vec::new(),
        single => vec![single],
    };
    let mut all = Vec::new();
    for part in parts {
        let Object::Stream(stream) = view.resolve(&part).map_err(|e| e.to_string())? else {
            continue;
        };
        let left = MAX_CONTENT.saturating_sub(all.len());
        let decoded = view.stream_data(&stream, left).map_err(|e| e.to_string())?;
        all.extend(decoded.data);
        all.push(b'\n');
    }
    Ok(all)
}

/// The part of the graphics state that decides where things are.
#[derive(Debug, Clone)]
struct State {
    matrix: Matrix,
    font: Rc<Font>,
    size: f64,
    character_space: f64,
    word_space: f64,
    scale: f64,
    leading: f64,
    rise: f64,
}

struct Painter<'v, 'd> {
    view: &'v View<'d>,
    place: Rect,
    painted: Painted,
    operations_left: usize,
    /// Fonts by object number.
    fonts: HashMap<u32, Rc<Font>>,
}

/// One content stream on its way.
struct Run<'r> {
    resources: &'r Dict,
    state: State,
    stack: Vec<State>,
    path: Bounds,
    text: Matrix,
    line: Matrix,
    depth: usize,
}

impl Painter<'_, '_> {
    fn follow(&mut self, content: &[u8], resources: &Dict, matrix: Matrix, depth: usize) {
        let state = State {
            matrix,
            font: Rc::new(Font::default()),
            size: 0.0,
            character_space: 0.0,
            word_space: 0.0,
            scale: 1.0,
            leading: 0.0,
            rise: 0.0,
        };
        let mut run = Run {
            resources,
            state,
            stack: Vec::new(),
            path: Bounds::default(),
            text: Matrix::IDENTITY,
            line: Matrix::IDENTITY,
            depth,
        };
        let mut operations = Operations::new(content);
        loop {
            let Some(left) = self.operations_left.checked_sub(1) else {
                self.unread("there are too many operations");
                return;
            };
            self.operations_left = left;
            match operations.next() {
                Ok(Some(operation)) => self.operation(&mut run, &operation),
                Ok(None) => return,
                Err(()) => return self.unread("it is damaged"),
            }
        }
    }

    fn unread(&mut self, reason: &str) {
        self.painted.unread.get_or_insert_with(|| reason.to_owned());
    }

    fn operation(&mut self, run: &mut Run<'_>, operation: &Operation) {
        match operation.name.as_slice() {
            b"q" if run.stack.len() < MAX_STATES => run.stack.push(run.state.clone()),
            b"Q" => run.state = run.stack.pop().unwrap_or_else(|| run.state.clone()),
            b"cm" => {
                if let Some(matrix) = operation.numbers::<6>() {
                    run.state.matrix = Matrix(matrix).then(run.state.matrix);
                }
            }
            b"m" | b"l" | b"c" | b"v" | b"y" | b"re" => run.add_path(operation),
            b"f" | b"F" | b"f*" | b"B" | b"B*" | b"b" | b"b*" | b"S" | b"s" => {
                self.painted.drawings += usize::from(self.hits(run.path.rect()));
                run.path = Bounds::default();
            }
            b"n" => run.path = Bounds::default(),
            // A shading fills what is not clipped: anything.
            b"sh" => self.painted.drawings += 1,
            b"ID" => self.image(run.state.matrix),
            b"Do" => self.xobject(run, operation),
            b"Tj" | b"TJ" | b"'" | b"\"" => self.show(run, operation),
            b"Tf" => self.font(run, operation),
            _ => run.text_state(operation),
        }
    }

    fn hits(&self, rect: Option<Rect>) -> bool {
        // Lines have no area, but show.
        rect.is_some_and(|r| {
            r.x0 <= self.place.x1
                && r.x1 >= self.place.x0
                && r.y0 <= self.place.y1
                && r.y1 >= self.place.y0
        })
    }

    fn image(&mut self, matrix: Matrix) {
        self.painted.images += usize::from(self.hits(matrix.bounds([0.0, 0.0, 1.0, 1.0])));
    }

    fn resource(&self, run: &Run<'_>, kind: &str, operation: &Operation) -> Option<Object> {
        let name = operation.operands.first()?.as_name()?.to_text();
        self.view.lookup_dict(run.resources, kind).ok()??.get(&name).cloned()
    }

    fn xobject(&mut self, run: &Run<'_>, operation: &Operation) {
        let found = self.resource(run, "XObject", operation);
        let Some(Ok(Object::Stream(stream))) = found.map(|f| self.view.resolve(&f)) else { return };
        if stream.dict.is_name("Subtype", "Image") {
            return self.image(run.state.matrix);
        }
        if run.depth >= MAX_DEPTH {
            return self.unread("forms nest too deeply");
        }
        self.form(run, &stream);
    }

    fn form(&mut self, run: &Run<'_>, stream: &Stream) {
        let own = self.view.lookup_array(&stream.dict, "Matrix").unwrap_or_default();
        let mut values = Matrix::IDENTITY.0;
        for (place, value) in values.iter_mut().zip(&own) {
            *place = value.as_number().unwrap_or(*place);
        }
        let matrix = Matrix(values).then(run.state.matrix);
        let resources = self.view.lookup_dict(&stream.dict, "Resources").ok().flatten();
        match self.view.stream_data(stream, MAX_CONTENT) {
            Ok(decoded) => {
                let resources = resources.as_ref().unwrap_or(run.resources);
                self.follow(&decoded.data, resources, matrix, run.depth + 1);
            }
            Err(error) => self.unread(&error.to_string()),
        }
    }

    fn font(&mut self, run: &mut Run<'_>, operation: &Operation) {
        run.state.size = operation.number(1).unwrap_or(0.0);
        let found = self.resource(run, "Font", operation).unwrap_or_default();
        let number = found.as_ref().map(|id| id.number);
        if let Some(known) = number.and_then(|n| self.fonts.get(&n)) {
            run.state.font = known.clone();
            return;
        }
        let font = match self.view.resolve(&found) {
            Ok(Object::Dict(dict)) if self.fonts.len() < MAX_FONTS => {
                Rc::new(Font::read(self.view, &dict))
            }
            _ => Rc::new(Font::default()),
        };
        if let Some(number) = number {
            self.fonts.insert(number, font.clone());
        }
        run.state.font = font;
    }

    fn show(&mut self, run: &mut Run<'_>, operation: &Operation) {
        if matches!(operation.name.as_slice(), b"'" | b"\"") {
            if operation.name == b"\"" {
                run.state.word_space = operation.number(0).unwrap_or(0.0);
                run.state.character_space = operation.number(1).unwrap_or(0.0);
            }
            run.next_line(0.0, -run.state.leading);
        }
        for operand in &operation.operands {
            match operand {
                Object::String(string) => self.show_string(run, string),
                Object::Array(values) => {
                    for value in values {
                        match value {
                            Object::String(string) => self.show_string(run, string),
                            other => {
                                let shift = other.as_number().unwrap_or(0.0) / 1000.0;
                                run.advance(-shift * run.state.size);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn show_string(&mut self, run: &mut Run<'_>, string: &PdfString) {
        let state = &run.state;
        let font = state.font.clone();
        let width: f64 = font
            .codes(string)
            .into_iter()
            .map(|(_, width, is_space)| {
                let space = if is_space { state.word_space } else { 0.0 };
                width * state.size + state.character_space + space
            })
            .sum();
        let matrix = run.text.then(state.matrix);
        let (low, high) = (state.rise - 0.25 * state.size, state.rise + 0.9 * state.size);
        let bounds = matrix.bounds([0.0, low, width * state.scale, high]);
        if self.hits(bounds) && self.painted.text.len() < MAX_TEXTS {
            let text = font.text(string);
            let text = text.trim();
            if !text.is_empty() {
                self.painted.text.push(super::super::describe::shorten_to(text, 120));
            } else if !string.bytes.iter().all(|b| *b == b' ') {
                self.painted.text.push("(text that cannot be read)".to_owned());
            }
        }
        run.advance(width);
    }
}

impl Run<'_> {
    fn add_path(&mut self, operation: &Operation) {
        let matrix = self.state.matrix;
        if operation.name == b"re" {
            if let Some([x, y, w, h]) = operation.numbers::<4>() {
                for (px, py) in [(x, y), (x + w, y), (x, y + h), (x + w, y + h)] {
                    self.path.add(matrix.apply(px, py));
                }
            }
            return;
        }
        for [x, y] in operation.operands.as_chunks::<2>().0 {
            if let (Some(x), Some(y)) = (x.as_number(), y.as_number()) {
                self.path.add(matrix.apply(x, y));
            }
        }
    }

    /// Moves the text position to the right.
    fn advance(&mut self, width: f64) {
        self.text = Matrix::translation(width * self.state.scale, 0.0).then(self.text);
    }

    fn next_line(&mut self, x: f64, y: f64) {
        self.line = Matrix::translation(x, y).then(self.line);
        self.text = self.line;
    }

    fn text_state(&mut self, operation: &Operation) {
        let first = operation.number(0).unwrap_or(0.0);
        match operation.name.as_slice() {
            b"BT" => (self.text, self.line) = (Matrix::IDENTITY, Matrix::IDENTITY),
            b"Td" => self.next_line(first, operation.number(1).unwrap_or(0.0)),
            b"TD" => {
                let y = operation.number(1).unwrap_or(0.0);
                self.state.leading = -y;
                self.next_line(first, y);
            }
            b"Tm" => {
                if let Some(matrix) = operation.numbers::<6>() {
                    (self.text, self.line) = (Matrix(matrix), Matrix(matrix));
                }
            }
            b"T*" => self.next_line(0.0, -self.state.leading),
            b"TL" => self.state.leading = first,
            b"Tc" => self.state.character_space = first,
            b"Tw" => self.state.word_space = first,
            b"Tz" => self.state.scale = first / 100.0,
            b"Ts" => self.state.rise = first,
            _ => {}
        }
    }
}
