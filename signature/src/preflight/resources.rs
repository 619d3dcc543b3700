//! Fonts, graphics states, images, forms, patterns and colour spaces (ISO 32000-2, 7.8.3).

use super::FindingCode;
use super::walk::Walk;
use crate::pdf::{Dict, Object, Stream};

impl Walk<'_> {
    pub(super) fn resources(&mut self, resources: &Object, depth: usize) {
        if !self.enter(resources, depth) {
            return;
        }
        let Object::Dict(resources) = self.resolve(resources) else { return };
        self.each(&resources, "Font", |walk, font| walk.font(font, depth));
        self.each(&resources, "ExtGState", |walk, state| walk.graphics_state(state, depth));
        self.each(&resources, "XObject", |walk, object| walk.xobject(object, depth));
        self.each(&resources, "Pattern", |walk, pattern| walk.pattern(pattern, depth));
        self.each(&resources, "ColorSpace", |walk, space| walk.color_space(space, depth));
    }

    fn each(&mut self, resources: &Dict, kind: &str, mut look: impl FnMut(&mut Self, &Object)) {
        let dict = self.dict(resources, kind);
        for entry in dict.iter() {
            look(self, &entry.value);
        }
    }

    fn font(&mut self, object: &Object, depth: usize) {
        if !self.enter(object, depth) {
            return;
        }
        let Object::Dict(font) = self.resolve(object) else { return };
        match self.name(&font, "Subtype").as_str() {
            "Type3" => {
                if let Some(inner) = font.get("Resources").cloned() {
                    self.resources(&inner, depth + 1);
                }
            }
            "Type0" => {
                for descendant in self.array(&font, "DescendantFonts") {
                    let descendant = self.resolve(&descendant);
                    if let Some(descendant) = descendant.as_dict() {
                        self.embedded(descendant, &font);
                    }
                }
            }
            _ => self.embedded(&font, &font),
        }
    }

    fn embedded(&mut self, font: &Dict, named: &Dict) {
        let descriptor = self.dict(font, "FontDescriptor");
        let keys = ["FontFile", "FontFile2", "FontFile3"];
        if keys.iter().any(|key| descriptor.contains(key)) {
            return;
        }
        let name = self.name(named, "BaseFont");
        let name = if name.is_empty() { "a font without name".to_owned() } else { name };
        self.note(FindingCode::FontSubst, name);
    }

    fn graphics_state(&mut self, object: &Object, depth: usize) {
        if !self.enter(object, depth) {
            return;
        }
        let Object::Dict(state) = self.resolve(object) else { return };
        for (key, what) in [("ca", "filling"), ("CA", "drawing")] {
            if self.get(&state, key).as_number().is_some_and(|v| v < 1.0) {
                self.note(FindingCode::TranspRemoved, format!("{what} with an opacity below 1"));
            }
        }
        if let Object::Dict(mask) = self.get(&state, "SMask") {
            self.note(FindingCode::TranspRemoved, "a soft mask");
            if let Some(group) = mask.get("G").cloned() {
                self.form_xobject(&group, depth + 1);
            }
        }
        let modes = match self.get(&state, "BM") {
            Object::Array(modes) => modes,
            other => vec![other],
        };
        // The first mode of a list is the one that counts.
        let mode = modes.first().and_then(Object::as_name).map(|n| n.to_text());
        if let Some(mode) = mode.filter(|m| m != "Normal" && m != "Compatible") {
            self.note(FindingCode::TranspRemoved, format!("blend mode {mode}"));
        }
        if let Object::Array(font) = self.get(&state, "Font")
            && let Some(font) = font.first()
        {
            self.font(font, depth + 1);
        }
    }

    fn xobject(&mut self, object: &Object, depth: usize) {
        if self.was_seen(object) {
            return;
        }
        let Object::Stream(stream) = self.resolve(object) else { return };
        match self.name(&stream.dict, "Subtype").as_str() {
            "Form" => self.form_xobject(object, depth),
            "Image" => self.image(object, &stream, depth),
            _ => {}
        }
    }

    pub(super) fn form_xobject(&mut self, object: &Object, depth: usize) {
        if !self.enter(object, depth) {
            return;
        }
        let Object::Stream(stream) = self.resolve(object) else { return };
        self.decode(&stream, "a form");
        if let Some(inner) = stream.dict.get("Resources").cloned() {
            self.resources(&inner, depth + 1);
        }
    }

    fn image(&mut self, object: &Object, stream: &Stream, depth: usize) {
        if !self.enter(object, depth) {
            return;
        }
        self.decode_image(stream);
        let dict = &stream.dict;
        if self.get(dict, "SMask").as_stream().is_some()
            || self.get(dict, "SMaskInData").as_int().is_some_and(|v| v > 0)
        {
            self.note(FindingCode::TranspRemoved, "an image with a soft mask");
        }
        if let Some(space) = dict.get("ColorSpace").cloned() {
            self.color_space(&space, depth + 1);
        }
    }

    fn pattern(&mut self, object: &Object, depth: usize) {
        if !self.enter(object, depth) {
            return;
        }
        let pattern = self.resolve(object);
        let Some(dict) = pattern.as_dict() else { return };
        if let Some(inner) = dict.get("Resources").cloned() {
            self.resources(&inner, depth + 1);
        }
        if let Some(state) = dict.get("ExtGState").cloned() {
            self.graphics_state(&state, depth + 1);
        }
        let shading = self.dict(dict, "Shading");
        if let Some(space) = shading.get("ColorSpace").cloned() {
            self.color_space(&space, depth + 1);
        }
    }

    fn color_space(&mut self, object: &Object, depth: usize) {
        if !self.enter(object, depth) {
            return;
        }
        let Object::Array(parts) = self.resolve(object) else { return };
        let [kind, name, rest @ ..] = parts.as_slice() else { return };
        match kind.as_name().map(|n| n.to_text()).as_deref() {
            Some("Separation") => {
                let name = self.resolve(name).as_name().map(|n| n.to_text());
                if let (Some(name), [alternate, tint, ..]) = (name, rest) {
                    self.colorant(&name, alternate, tint);
                }
            }
            Some("DeviceN") => {
                if let [_, _, attributes, ..] = rest {
                    let attributes = self.resolve(attributes);
                    let attributes = attributes.as_dict().cloned().unwrap_or_default();
                    self.each(&attributes, "Colorants", |walk, space| {
                        walk.color_space(space, depth + 1);
                    });
                }
            }
            Some("Indexed" | "Pattern") => self.color_space(name, depth + 1),
            _ => {}
        }
    }
}
