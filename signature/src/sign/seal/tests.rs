use super::*;
use crate::pdf::{Dict, Page, PdfErrorKind, Rect};

fn page(rotate: u16, media: [f64; 4], crop: Option<[f64; 4]>) -> Page {
    Page {
        index: 0,
        id: None,
        dict: Dict::new(),
        resources: Object::Null,
        media_box: Rect::from_corners(media),
        crop_box: crop.and_then(Rect::from_corners),
        rotate,
        user_unit: 1.0,
    }
}

fn seal(x: f64, y: f64) -> Seal {
    Seal { x, y, width: 100.0, height: 40.0, ..Seal::default() }
}

fn rect(page: &Page, x: f64, y: f64) -> [f64; 4] {
    let rect = place(&seal(x, y), page).unwrap().rect;
    [rect.x0, rect.y0, rect.x1, rect.y1]
}

#[test]
fn positions_count_from_the_upper_left_corner_of_the_shown_page() {
    let media = [0.0, 0.0, 600.0, 800.0];
    assert_eq!(rect(&page(0, media, None), 10.0, 20.0), [10.0, 740.0, 110.0, 780.0]);
    // Turned clockwise, the lower left corner of the paper shows at the upper left.
    assert_eq!(rect(&page(90, media, None), 10.0, 20.0), [20.0, 10.0, 60.0, 110.0]);
    assert_eq!(rect(&page(180, media, None), 10.0, 20.0), [490.0, 20.0, 590.0, 60.0]);
    assert_eq!(rect(&page(270, media, None), 10.0, 20.0), [540.0, 690.0, 580.0, 790.0]);
}

#[test]
fn crop_boxes_negative_origins_and_fractions_count() {
    let media = [-50.0, -100.0, 550.0, 700.0];
    assert_eq!(rect(&page(0, media, None), 0.5, 0.25), [-49.5, 659.75, 50.5, 699.75]);
    let cropped = page(0, media, Some([0.0, 0.0, 9000.0, 500.0]));
    assert_eq!(rect(&cropped, 0.0, 0.0), [0.0, 460.0, 100.0, 500.0]);
}

#[test]
fn a_larger_user_unit_makes_the_rectangle_smaller() {
    let mut page = page(0, [0.0, 0.0, 600.0, 800.0], None);
    page.user_unit = 2.0;
    assert_eq!(rect(&page, 10.0, 20.0), [5.0, 770.0, 55.0, 790.0]);
}

#[test]
fn outside_is_refused_or_moved() {
    let page = page(90, [0.0, 0.0, 600.0, 800.0], None);
    for (x, y) in [(-1.0, 0.0), (0.0, -1.0), (701.0, 0.0), (0.0, 561.0)] {
        let error = place(&seal(x, y), &page).unwrap_err();
        assert_eq!(error.kind(), PdfErrorKind::SealOutsidePage, "{x} {y}");
        let moved = Seal { fit: SealFit::Move, ..seal(x, y) };
        let placed = place(&moved, &page).unwrap();
        assert!(page.visible_box().contains(&placed.rect));
    }
    assert!(place(&seal(700.0, 560.0), &page).is_ok());
    let huge = Seal { fit: SealFit::Move, width: 900.0, ..Seal::default() };
    assert_eq!(place(&huge, &page).unwrap_err().kind(), PdfErrorKind::SealOutsidePage);
    for wrong in [f64::NAN, f64::INFINITY] {
        let error = place(&seal(wrong, 0.0), &page).unwrap_err();
        assert_eq!(error.kind(), PdfErrorKind::InvalidArgument);
    }
}

#[test]
fn every_stroke_stays_within_the_box() {
    let page = page(0, [0.0, 0.0, 600.0, 800.0], None);
    let lines: Vec<String> =
        ["ÅÄÖgjpqy", "The quick brown fox jumps over the lazy dog, twice and more", "|{}[]"]
            .map(str::to_owned)
            .to_vec();
    let placed = place(&seal(0.0, 0.0), &page).unwrap();
    let (_, content) = form(&seal(0.0, 0.0), &lines, &placed);
    let text = String::from_utf8(content).unwrap();
    assert!(text.lines().count() > 100);
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let (Some(operator), numbers) = (words.last(), &words[..words.len() - 1]) else { continue };
        if !matches!(*operator, "m" | "l" | "c") {
            continue;
        }
        for pair in numbers.chunks(2) {
            let (x, y): (f64, f64) = (pair[0].parse().unwrap(), pair[1].parse().unwrap());
            assert!((0.0..=100.0).contains(&x) && (0.0..=40.0).contains(&y), "{line}");
        }
    }
}

#[test]
fn default_lines_name_who_why_and_when() {
    let time = Some(Time::from_unix(0));
    let text = lines(&Seal::default(), Some("Kari Nordmann"), Some("Loan"), time);
    assert_eq!(text, ["Kari Nordmann", "Loan", "1970-01-01 00:00:00 UTC"]);
    assert_eq!(lines(&Seal::default(), None, None, None), ["Digitally signed"]);
}
