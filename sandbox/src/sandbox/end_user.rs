//! Playing the end user, and what was signed by whom, for Rust tests.

use std::sync::Arc;

use signdoc_signature::pki::Pki;

use super::Sandbox;
use crate::Error;
use crate::identity::page::Action;
use crate::identity::persons::Person;
use crate::orders::control::{self, Callback, Visit};
use crate::orders::order::OrderState;
use crate::orders::steps;
use crate::state::State;

impl Sandbox {
    /// The root certificate above every signature, in PEM.
    ///
    /// # Errors
    /// When the throw-away authority could not be made.
    pub fn trust_pem(&self) -> Result<String, Error> {
        let pki = self.state.authority.pki(&self.state.random, &self.state.clock);
        pki.map(Pki::trust_pem).map_err(Error::Start)
    }

    /// Plays an end user who opens an authorize address and acts at the signing page; returns the
    /// request by which the browser comes back to the merchant, with a code or an error.
    ///
    /// # Errors
    /// When the address is not this sandbox's, or a browser would be shown a page instead.
    pub fn visit(&self, visit: Visit) -> Result<Callback, Error> {
        self.wait(move |state| async move { control::visit(&state, &visit).await })
    }

    /// Signs an order as a test person. When its end user is at the signing page, that is where it
    /// happens, and the way back is returned.
    ///
    /// # Errors
    /// When there is no such order, or it is in a final state.
    pub fn sign(&self, sign_id: &str, person: Person) -> Result<Option<Callback>, Error> {
        self.finish(sign_id, Action::Sign, person)
    }

    /// Cancels an order as its end user; as [`Sandbox::sign`].
    ///
    /// # Errors
    /// As [`Sandbox::sign`].
    pub fn cancel(&self, sign_id: &str) -> Result<Option<Callback>, Error> {
        self.finish(sign_id, Action::Cancel, Person::default())
    }

    /// Lets an order fail; as [`Sandbox::sign`].
    ///
    /// # Errors
    /// As [`Sandbox::sign`].
    pub fn fail(&self, sign_id: &str) -> Result<Option<Callback>, Error> {
        self.finish(sign_id, Action::Fail, Person::default())
    }

    /// Moves an order one state on; returns the new state.
    ///
    /// # Errors
    /// As [`Sandbox::sign`].
    pub fn step(&self, sign_id: &str) -> Result<OrderState, Error> {
        let id = sign_id.to_owned();
        self.wait(move |state| async move { steps::step(&state, &id, Person::default()).await })
    }

    /// Where an order stands, without a request of a client.
    ///
    /// # Errors
    /// When there is no such order any more; the text says why.
    pub fn order_state(&self, sign_id: &str) -> Result<OrderState, Error> {
        let now = self.state.clock.now_millis();
        let found = self.state.orders.with(sign_id, now, |order| Ok(order.state));
        found.map_err(Error::Order)
    }

    fn finish(
        &self,
        sign_id: &str,
        action: Action,
        person: Person,
    ) -> Result<Option<Callback>, Error> {
        let id = sign_id.to_owned();
        self.wait(move |state| async move { control::finish(&state, &id, action, person).await })
    }

    /// Runs something on the sandbox's own runtime, so that callers need none, and may have one.
    fn wait<T, F, Fut>(&self, act: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(Arc<State>) -> Fut,
        Fut: Future<Output = Result<T, String>> + Send + 'static,
    {
        let (answer, answered) = std::sync::mpsc::channel();
        let work = act(Arc::clone(&self.state));
        self.handle.spawn(async move {
            // the receiver waits below
            let _ = answer.send(work.await);
        });
        let stopped = || Error::Order("the sandbox has ended".to_owned());
        answered.recv().map_err(|_| stopped())?.map_err(Error::Order)
    }
}
