//! JSON with base64 documents inside, streamed both ways.
//!
//! * [`encode`]: a request body of literal JSON and documents. Its length is known before the
//!   first byte leaves; documents are read and encoded window by window.
//! * [`scan`]: an incremental JSON scanner for answers. Documents are decoded while they arrive
//!   and handed over in windows; everything else is small and comes as events with its path.
//! * [`sink`]: where decoded bytes go (memory, a file that appears at once, a writer).
//!
//! Nothing here knows a field name of the service, and nothing holds a whole document: memory is
//! a handful of windows from one [`BufferPool`], however many documents pass through.

mod base64;
pub mod encode;
mod pool;
pub mod scan;
pub mod sink;
pub mod source;

pub use base64::encoded_len;
pub use encode::{EncodeError, RequestBody, RequestBuilder, push_json_string};
pub use pool::{BufferPool, FRAME, WINDOW};
pub use scan::{Limits, Path, Pattern, ScanError, Scanner, Step, StringMode, Visitor};
pub use sink::{Delivered, FileOptions, Sink, SinkError};
pub use source::ByteSource;
