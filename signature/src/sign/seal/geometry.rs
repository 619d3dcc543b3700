//! Where a seal lies on its page.

use super::{Seal, SealFit};
use crate::pdf::{Page, PdfError, PdfErrorKind, Rect, Result};

/// A seal in the page's own coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Placed {
    /// The annotation rectangle in default user space.
    pub(crate) rect: Rect,
    /// By how much the page is turned clockwise when shown.
    pub(crate) rotate: u16,
    /// Width and height as shown, in user space units.
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Placed {
    /// A seal that fills a rectangle which is there already.
    pub(crate) fn in_rect(rect: Rect, rotate: u16) -> Placed {
        let (mut width, mut height) = (rect.width(), rect.height());
        if rotate % 180 == 90 {
            (width, height) = (height, width);
        }
        Placed { rect, rotate, width, height }
    }

    /// Turns the appearance against the page's rotation, so that it shows upright.
    pub(crate) fn matrix(&self) -> [i64; 6] {
        match self.rotate {
            90 => [0, 1, -1, 0, 0, 0],
            180 => [-1, 0, 0, -1, 0, 0],
            270 => [0, -1, 1, 0, 0, 0],
            _ => [1, 0, 0, 1, 0, 0],
        }
    }
}

/// Computes the rectangle of a seal on its page.
pub(crate) fn place(seal: &Seal, page: &Page) -> Result<Placed> {
    let numbers = [seal.x, seal.y, seal.width, seal.height];
    if numbers.iter().any(|v| !v.is_finite()) || seal.width < 1.0 || seal.height < 1.0 {
        return Err(PdfError::new(
            PdfErrorKind::InvalidArgument,
            format!(
                "seal x {}, y {}, width {}, height {}: they must be finite, and the size at least \
                 1 point each way",
                seal.x, seal.y, seal.width, seal.height
            ),
        ));
    }
    // A user space unit may be larger than a point.
    let [x, y, width, height] = numbers.map(|v| v / page.user_unit);
    let visible = page.visible_box();
    let (shown_width, shown_height) = if page.rotate % 180 == 90 {
        (visible.height(), visible.width())
    } else {
        (visible.width(), visible.height())
    };
    let (x, y) = match seal.fit {
        SealFit::Refuse => (x, y),
        SealFit::Move => {
            (x.min(shown_width - width).max(0.0), y.min(shown_height - height).max(0.0))
        }
    };
    let inside = x >= -0.01
        && y >= -0.01
        && x + width <= shown_width + 0.01
        && y + height <= shown_height + 0.01;
    if !inside {
        return Err(outside(seal, page, shown_width, shown_height));
    }
    let rect = to_user_space(&visible, page.rotate, [x, y, x + width, y + height]);
    Ok(Placed { rect, rotate: page.rotate, width, height })
}

fn outside(seal: &Seal, page: &Page, shown_width: f64, shown_height: f64) -> PdfError {
    let unit = page.user_unit;
    PdfError::new(
        PdfErrorKind::SealOutsidePage,
        format!(
            "seal x {}, y {}, width {}, height {} points; page {} shows {:.2} by {:.2} points",
            seal.x,
            seal.y,
            seal.width,
            seal.height,
            page.index + 1,
            shown_width * unit,
            shown_height * unit
        ),
    )
}

/// From the shown page (origin upper left, y down) to default user space.
fn to_user_space(visible: &Rect, rotate: u16, [left, top, right, bottom]: [f64; 4]) -> Rect {
    let Rect { x0, y0, x1, y1 } = *visible;
    match rotate {
        90 => Rect { x0: x0 + top, y0: y0 + left, x1: x0 + bottom, y1: y0 + right },
        180 => Rect { x0: x1 - right, y0: y0 + top, x1: x1 - left, y1: y0 + bottom },
        270 => Rect { x0: x1 - bottom, y0: y1 - right, x1: x1 - top, y1: y1 - left },
        _ => Rect { x0: x0 + left, y0: y1 - bottom, x1: x0 + right, y1: y1 - top },
    }
}
