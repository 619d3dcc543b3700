//! A session whose order is kept at run time, for faces without typestates.

use std::fmt;
use std::sync::Arc;

use tokio::sync::Mutex;

use super::model::Credential;
use super::session::{Authorized, HashesToSign, Listed, Session, Signatures, StepError};
use crate::client::{CallOptions, Client};
use crate::error::{Code, Error, Result};

/// A signing session: one login, one authorization, up to 50 signatures. Clones share it.
///
/// [`CscSession::sign_hashes`] and [`CscSession::sign_pdfs`] do all steps; the single steps are
/// there for those who need them. A step out of order fails before anything is sent, with the code
/// the service would give.
#[derive(Clone)]
pub struct CscSession {
    client: Client,
    stage: Arc<Mutex<Stage>>,
}

enum Stage {
    Fresh(Session),
    Listed(Listed),
    Authorized(Box<Authorized>),
    /// It has signed.
    Signed,
    /// A step failed so that the token is, or may be, spent.
    Over,
}

impl fmt::Debug for CscSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CscSession(...)")
    }
}

impl CscSession {
    pub(super) fn new(session: Session) -> Self {
        let client = session.client().clone();
        Self { client, stage: Arc::new(Mutex::new(Stage::Fresh(session))) }
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// The user's credentials: asked for once, then remembered.
    ///
    /// # Errors
    /// As [`Session::list`]; [`Code::CscTokenAlreadyUsed`] or [`Code::CscSessionSpent`] when the
    /// session is further on or over.
    pub async fn credentials(&self, options: &CallOptions) -> Result<Vec<Credential>> {
        let mut stage = self.stage.lock().await;
        let session = match std::mem::replace(&mut *stage, Stage::Over) {
            Stage::Fresh(session) => session,
            Stage::Listed(listed) => {
                let credentials = listed.credentials().to_vec();
                *stage = Stage::Listed(listed);
                return Ok(credentials);
            }
            other => return Err(out_of_order(&mut stage, other, "credentials/list")),
        };
        // A caller who goes away while this is sent leaves the session over: its token is used.
        let listed = settle(&mut stage, session.list(options).await, Stage::Fresh)?;
        let credentials = listed.credentials().to_vec();
        *stage = Stage::Listed(listed);
        Ok(credentials)
    }

    /// A credential, looked at anew, after the list and before the authorization. It stands
    /// outside of the once-only order; by itself it is called only where the list gave no more than
    /// a credential's name.
    ///
    /// # Errors
    /// As [`Listed::info`]; [`Code::CscTokenAlreadyUsed`] when it is not its turn.
    pub async fn credential_info(
        &self,
        credential_id: &str,
        options: &CallOptions,
    ) -> Result<Credential> {
        let mut stage = self.stage.lock().await;
        if let Stage::Listed(listed) = &*stage {
            return listed.info(credential_id, options).await;
        }
        let was = std::mem::replace(&mut *stage, Stage::Over);
        Err(out_of_order(&mut stage, was, "credentials/info"))
    }

    /// Authorizes exactly these hashes.
    ///
    /// # Errors
    /// As [`Listed::authorize`]; [`Code::CscTokenAlreadyUsed`] when it is not this step's turn.
    pub async fn authorize(&self, request: HashesToSign, options: &CallOptions) -> Result<()> {
        request.check()?;
        let mut stage = self.stage.lock().await;
        let listed = match std::mem::replace(&mut *stage, Stage::Over) {
            Stage::Listed(listed) => listed,
            other => return Err(out_of_order(&mut stage, other, "credentials/authorize")),
        };
        let authorized = listed.authorize(request, options).await;
        let authorized = settle(&mut stage, authorized, Stage::Listed)?;
        *stage = Stage::Authorized(Box::new(authorized));
        Ok(())
    }

    /// Signs what was authorized; each signature is checked.
    ///
    /// # Errors
    /// As [`Authorized::sign`]; [`Code::CscTokenAlreadyUsed`] when it is not this step's turn.
    pub async fn sign_hash(&self, options: &CallOptions) -> Result<Signatures> {
        let mut stage = self.stage.lock().await;
        let authorized = match std::mem::replace(&mut *stage, Stage::Over) {
            Stage::Authorized(authorized) => authorized,
            other => return Err(out_of_order(&mut stage, other, "signatures/signHash")),
        };
        let back = |session| Stage::Authorized(Box::new(session));
        let signed = settle(&mut stage, authorized.sign(options).await, back)?;
        *stage = Stage::Signed;
        Ok(signed)
    }

    /// Signs hashes: list, authorize, signHash, and the check of each signature.
    ///
    /// # Errors
    /// Those of the single steps; wrong input is found before the token is used.
    pub async fn sign_hashes(
        &self,
        request: HashesToSign,
        options: &CallOptions,
    ) -> Result<Signatures> {
        request.check()?;
        // A signHash that did not get through is taken up where it was.
        let is_authorized = matches!(&*self.stage.lock().await,
            Stage::Authorized(authorized) if authorized.covers(&request));
        if !is_authorized {
            self.credentials(options).await?;
            self.authorize(request, options).await?;
        }
        self.sign_hash(options).await
    }
}

/// Puts a session that comes back from a failed step where it was.
fn settle<S, T>(
    stage: &mut Stage,
    outcome: Result<T, StepError<S>>,
    back: impl FnOnce(S) -> Stage,
) -> Result<T> {
    outcome.map_err(|failed| {
        if let Some(session) = failed.session {
            *stage = back(session);
        }
        failed.error
    })
}

/// The error of a step whose turn it is not; the stage stays as it was.
fn out_of_order(stage: &mut Stage, was: Stage, step: &str) -> Error {
    let (code, why) = match &was {
        Stage::Fresh(_) => (Code::CscTokenAlreadyUsed, "credentials/list comes first"),
        Stage::Listed(_) => (Code::CscTokenAlreadyUsed, "credentials/authorize comes first"),
        Stage::Authorized(_) => {
            (Code::CscTokenAlreadyUsed, "this session has authorized; only signHash is left")
        }
        Stage::Signed => (Code::CscTokenAlreadyUsed, "this session has signed; begin a new login"),
        Stage::Over => (
            Code::CscSessionSpent,
            "this session is over after an earlier failure; begin a new login",
        ),
    };
    *stage = was;
    Error::new(code, format!("{step}: {why}")).with_detail("step", step)
}
