//! Transformation matrices (ISO 32000-2, 8.3.4).

use crate::pdf::Rect;

/// The matrix `[a b c d e f]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Matrix(pub(super) [f64; 6]);

impl Matrix {
    pub(super) const IDENTITY: Matrix = Matrix([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    pub(super) fn translation(x: f64, y: f64) -> Matrix {
        Matrix([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// This matrix first, then `next`.
    pub(super) fn then(self, next: Matrix) -> Matrix {
        let [a, b, c, d, e, f] = self.0;
        let [ga, gb, gc, gd, ge, gf] = next.0;
        Matrix([
            a * ga + b * gc,
            a * gb + b * gd,
            c * ga + d * gc,
            c * gb + d * gd,
            e * ga + f * gc + ge,
            e * gb + f * gd + gf,
        ])
    }

    pub(super) fn apply(self, x: f64, y: f64) -> (f64, f64) {
        let [a, b, c, d, e, f] = self.0;
        (a * x + c * y + e, b * x + d * y + f)
    }

    /// The rectangle around a transformed rectangle; `None` when it is not finite.
    pub(super) fn bounds(self, [x0, y0, x1, y1]: [f64; 4]) -> Option<Rect> {
        let mut bounds = Bounds::default();
        for (x, y) in [(x0, y0), (x0, y1), (x1, y0), (x1, y1)] {
            bounds.add(self.apply(x, y));
        }
        bounds.rect()
    }
}

/// A rectangle that grows with points.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Bounds(Option<[f64; 4]>);

impl Bounds {
    pub(super) fn add(&mut self, (x, y): (f64, f64)) {
        let [x0, y0, x1, y1] = self.0.unwrap_or([x, y, x, y]);
        self.0 = Some([x0.min(x), y0.min(y), x1.max(x), y1.max(y)]);
    }

    pub(super) fn rect(self) -> Option<Rect> {
        Rect::from_corners(self.0?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_bounds() {
        let turned = Matrix([0.0, 1.0, -1.0, 0.0, 0.0, 0.0]);
        let moved = turned.then(Matrix::translation(10.0, 20.0));
        assert_eq!(moved.apply(1.0, 0.0), (10.0, 21.0));
        let rect = moved.bounds([0.0, 0.0, 2.0, 1.0]).unwrap();
        assert_eq!([rect.x0, rect.y0, rect.x1, rect.y1], [9.0, 20.0, 10.0, 22.0]);
        assert!(Matrix([f64::NAN; 6]).bounds([0.0, 0.0, 1.0, 1.0]).is_none());
    }
}
