//! One call and what follows from it: documents that a refusal of others left behind go again.
//!
//! A refusal (400) brings no documents, not even those that were converted; so the good ones are
//! sent once more without the refused ones, which makes "converted" mean that there is a document.
//! Where the service lists the refused documents only, and does not say which they are, the rest
//! is found by sending halves.

use std::collections::VecDeque;

use super::manifest::Input;
use super::plan::{Place, Plan};
use super::{Answered, CONVERT, Conversion, Pack, request_body};
use crate::client::{CallOptions, Client};
use crate::document::Document;
use crate::error::{Code, Error, Result};
use crate::wire::ByteSource;

/// A document on its way.
pub(super) struct Item {
    pub index: usize,
    pub document: Document,
    pub source: ByteSource,
    pub place: Option<Place>,
    pub input: Option<Input>,
}

/// A result with what the manifest needs to know of its input.
pub struct Finished {
    pub(super) result: Conversion,
    pub(super) input: Option<Input>,
}

pub(super) fn failed(index: usize, error: Error) -> Conversion {
    Conversion { index, failure: Some(error), ..Conversion::default() }
}

/// Documents that go in one call.
struct Group {
    items: Vec<Item>,
    /// Whether they are what a refusal of others left behind.
    is_again: bool,
}

impl Client {
    /// Converts one pack: each document of it gets one result.
    pub async fn convert_pack(&self, pack: Pack, options: &CallOptions) -> Vec<Finished> {
        let mut finished = Vec::with_capacity(pack.items.len());
        let mut waiting = VecDeque::from([Group { items: pack.items, is_again: false }]);
        while let Some(group) = waiting.pop_front() {
            let round = match self.convert_group(&group, options).await {
                Ok(answered) => group.answered(answered, &mut finished),
                Err(error) => group.failed(&error, &mut finished),
            };
            waiting.extend(round);
        }
        finished
    }

    /// As [`Client::convert_pack`], where the failure of the first call is that of them all: the
    /// status of its answer, and the results in the order of the documents.
    pub(super) async fn convert_items(
        &self,
        items: Vec<Item>,
        options: &CallOptions,
    ) -> Result<(u16, Vec<Conversion>)> {
        let first = Group { items, is_again: false };
        let answered = self.convert_group(&first, options).await?;
        let status = answered.status;
        let mut finished = Vec::with_capacity(first.items.len());
        let mut waiting = VecDeque::from(first.answered(answered, &mut finished));
        while let Some(group) = waiting.pop_front() {
            let round = match self.convert_group(&group, options).await {
                Ok(answered) => group.answered(answered, &mut finished),
                Err(error) => group.failed(&error, &mut finished),
            };
            waiting.extend(round);
        }
        let mut results: Vec<_> = finished.into_iter().map(|finished| finished.result).collect();
        results.sort_by_key(|result| result.index);
        Ok((status, results))
    }

    async fn convert_group(&self, group: &Group, options: &CallOptions) -> Result<Answered> {
        let items = &group.items;
        let sources: Vec<_> = items.iter().map(|item| item.source.clone()).collect();
        let places = items.iter().filter_map(|item| item.place.clone()).collect();
        let documents = items.iter().map(|item| (&item.document, item.source.clone())).collect();
        let body = request_body(documents, &self.shared.pool)?;
        self.convert_body(body, Plan::new(&sources, places), options).await
    }
}

impl Group {
    /// What an answer means for each document: a result, or another call.
    fn answered(self, answered: Answered, finished: &mut Vec<Finished>) -> Vec<Self> {
        let Answered { status, results } = answered;
        if results.len() != self.items.len() {
            return self.half(status, results, finished);
        }
        let is_disabled = results.iter().any(Conversion::is_disabled);
        let is_refusal = status != 200 || results.iter().any(Conversion::is_failed);
        let may_go_again = is_refusal && !is_disabled && !self.is_again;
        let mut again = Vec::new();
        for (item, result) in self.items.into_iter().zip(results) {
            // Under success "not converted" is an answer; in a refusal it says nothing.
            let is_answer =
                result.size.is_some() || result.is_failed() || (status == 200 && !result.converted);
            match is_answer {
                true => finished.push(item.finished(result)),
                false if may_go_again => again.push(item),
                false => {
                    let error = Error::new(
                        Code::MissingField,
                        format!("{CONVERT}: the service says nothing against this document, but did not send it"),
                    )
                    .with_status(status);
                    let result = Conversion { failure: Some(error), ..result.without_claim() };
                    finished.push(item.finished(result));
                }
            }
        }
        match again.is_empty() {
            true => Vec::new(),
            false => vec![Self { items: again, is_again: true }],
        }
    }

    /// A refusal that lists some documents and does not say which: the halves are sent by
    /// themselves, until what is refused stands alone.
    fn half(
        mut self,
        status: u16,
        mut results: Vec<Conversion>,
        finished: &mut Vec<Finished>,
    ) -> Vec<Self> {
        if results.iter().any(Conversion::is_disabled) {
            // Nothing is sent again; the reason holds for all.
            let errors = results.swap_remove(0).errors;
            for item in self.items {
                let result = Conversion { errors: errors.clone(), ..Conversion::default() };
                finished.push(item.finished(result));
            }
            return Vec::new();
        }
        if self.items.len() < 2 {
            let error = Error::new(
                Code::ResultCount,
                format!("{CONVERT}: the service refused the call with {} results", results.len()),
            )
            .with_status(status);
            finished.extend(self.items.into_iter().map(|item| item.failed(&error)));
            return Vec::new();
        }
        let rest = self.items.split_off(self.items.len() / 2);
        let is_again = self.is_again;
        vec![self, Self { items: rest, is_again }]
    }

    /// A call that failed as a whole: what arrived stays; a document that broke the call itself is
    /// taken out and the rest goes again.
    fn failed(self, error: &Error, finished: &mut Vec<Finished>) -> Vec<Self> {
        let culprit = self.items.iter().position(|item| item.is_culprit(error));
        let bare = error.clone().with_conversions(Vec::new());
        let mut again = Vec::new();
        for (position, item) in self.items.into_iter().enumerate() {
            let arrived =
                error.conversions().iter().find(|one| one.index == position && one.size.is_some());
            match (arrived, culprit) {
                (Some(whole), _) => finished.push(item.finished(whole.clone())),
                (None, Some(culprit)) if culprit != position => again.push(item),
                (None, _) => finished.push(item.failed(&bare)),
            }
        }
        match again.is_empty() {
            true => Vec::new(),
            false => vec![Self { items: again, is_again: self.is_again }],
        }
    }
}

impl Item {
    fn finished(self, mut result: Conversion) -> Finished {
        result.index = self.index;
        Finished { result, input: self.input }
    }

    fn failed(self, error: &Error) -> Finished {
        Finished { result: failed(self.index, error.clone()), input: self.input }
    }

    /// Whether `error` says that this very document could not be read while it was sent.
    fn is_culprit(&self, error: &Error) -> bool {
        let code = matches!(error.code(), Code::DocumentChanged | Code::DocumentUnreadable);
        let path = error.details().get("path").and_then(|path| path.as_str());
        let own = self.source.path().map(|path| path.display().to_string());
        code && path.is_some() && path == own.as_deref()
    }
}
