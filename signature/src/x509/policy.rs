//! Certificate policies (RFC 5280, 6.1, with the graph of RFC 9618 in place of the tree: its size
//! grows with the certificates, not with the number of ways through them).

use std::collections::{BTreeMap, BTreeSet};

use super::budget::Budget;
use super::certificate::Certificate;
use super::chain::{ChainFault, Fault};
use crate::asn1::{INTEGER, Malformed, Oid, Reader, context_primitive, oids, small_unsigned};

const ANY: Oid = oids::ANY_POLICY;

/// What is demanded of the certificate policies of a chain (RFC 5280, 6.1.1 c to g). By default
/// nothing is: any policy will do, and none is needed unless a certificate in the chain asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PolicyDemands<'a> {
    /// Policies that are acceptable (user-initial-policy-set); nothing for any.
    pub acceptable: Option<&'a [Oid]>,
    /// The chain must be valid for a policy (initial-explicit-policy).
    pub explicit: bool,
    /// Mappings are not followed (initial-policy-mapping-inhibit).
    pub inhibit_mapping: bool,
    /// anyPolicy matches nothing (initial-any-policy-inhibit).
    pub inhibit_any: bool,
}

/// One policy at one depth.
struct Node {
    /// Policies of the depth above that lead here.
    parents: Vec<Oid>,
    /// What the next certificate must name.
    expected: BTreeSet<Oid>,
}

type Level = BTreeMap<Oid, Node>;

/// Counters of how many certificates may still follow before a demand takes effect.
struct State<'a> {
    /// One level for each certificate so far, below the one for "any"; nothing once no policy is
    /// left.
    graph: Option<Vec<Level>>,
    explicit: usize,
    mapping: usize,
    any: usize,
    budget: &'a mut Budget,
}

/// Checks the policies of `path`, the first certificate below the anchor first.
pub(super) fn check(
    path: &[&Certificate],
    demands: &PolicyDemands<'_>,
    budget: &mut Budget,
) -> Result<(), Fault> {
    let never = path.len() + 1;
    let start = |at_once: bool| if at_once { 0 } else { never };
    let mut root = Level::new();
    root.insert(ANY, Node { parents: Vec::new(), expected: BTreeSet::from([ANY]) });
    let mut state = State {
        graph: Some(vec![root]),
        explicit: start(demands.explicit),
        mapping: start(demands.inhibit_mapping),
        any: start(demands.inhibit_any),
        budget,
    };
    for (index, certificate) in path.iter().enumerate() {
        let broken = |error: Malformed| {
            let who = certificate.subject().shown();
            (ChainFault::Extension, format!("{who}: {error}"))
        };
        let is_last = index + 1 == path.len();
        let own = Own::read(certificate).map_err(broken)?;
        state.enter(&own, certificate.is_self_issued() && !is_last)?;
        if state.explicit == 0 && state.graph.is_none() {
            let who = certificate.subject().shown();
            let detail = format!("{who}: no policy is left, though one is asked for");
            return Err((ChainFault::Policy, detail));
        }
        if is_last {
            state.explicit = state.explicit.saturating_sub(1);
            if own.require_explicit == Some(0) {
                state.explicit = 0;
            }
        } else {
            state.prepare(&own, certificate)?;
        }
    }
    if state.explicit > 0 || state.is_acceptable(demands)? {
        return Ok(());
    }
    Err((ChainFault::Policy, "the chain is valid for none of the acceptable policies".into()))
}

impl State<'_> {
    fn spend(&mut self, units: usize) -> Result<(), Fault> {
        self.budget.spend(units, "policies")
    }

    /// RFC 5280, 6.1.3 d and e.
    fn enter(&mut self, own: &Own, is_passed_on: bool) -> Result<(), Fault> {
        let Some(policies) = &own.policies else {
            self.graph = None;
            return Ok(());
        };
        let Some(graph) = self.graph.take() else { return Ok(()) };
        let above = graph.last();
        // Which nodes above expect a policy.
        let mut expecting: BTreeMap<Oid, Vec<Oid>> = BTreeMap::new();
        for (policy, node) in above.into_iter().flatten() {
            self.spend(1 + node.expected.len())?;
            for expected in &node.expected {
                expecting.entry(*expected).or_default().push(*policy);
            }
        }
        let any_above = above.is_some_and(|above| above.contains_key(&ANY));
        self.spend(policies.len())?;
        let mut level = Level::new();
        for policy in policies.iter().filter(|policy| **policy != ANY) {
            let parents = match expecting.get(policy) {
                Some(parents) => parents.clone(),
                None if any_above => vec![ANY],
                None => continue,
            };
            level.insert(*policy, Node { parents, expected: BTreeSet::from([*policy]) });
        }
        if policies.contains(&ANY) && (self.any > 0 || is_passed_on) {
            for (policy, parents) in expecting {
                let expected = BTreeSet::from([policy]);
                level.entry(policy).or_insert(Node { parents, expected });
            }
        }
        self.graph = (!level.is_empty()).then(|| with(graph, level));
        Ok(())
    }

    /// RFC 5280, 6.1.4 a, b, h, i and j.
    fn prepare(&mut self, own: &Own, certificate: &Certificate) -> Result<(), Fault> {
        let mut mapped: BTreeMap<Oid, BTreeSet<Oid>> = BTreeMap::new();
        self.spend(own.mappings.len())?;
        for (from, to) in &own.mappings {
            if *from == ANY || *to == ANY {
                let who = certificate.subject().shown();
                let detail = format!("{who} maps a policy from or to any, which is forbidden");
                return Err((ChainFault::Policy, detail));
            }
            mapped.entry(*from).or_default().insert(*to);
        }
        let may_map = self.mapping > 0;
        if let Some(level) = self.graph.as_mut().and_then(|graph| graph.last_mut()) {
            let has_any = level.contains_key(&ANY);
            for (from, expected) in mapped {
                if !may_map {
                    level.remove(&from);
                } else if let Some(node) = level.get_mut(&from) {
                    node.expected = expected;
                } else if has_any {
                    level.insert(from, Node { parents: vec![ANY], expected });
                }
            }
            if level.is_empty() {
                self.graph = None;
            }
        }
        if !certificate.is_self_issued() {
            for counter in [&mut self.explicit, &mut self.mapping, &mut self.any] {
                *counter = counter.saturating_sub(1);
            }
        }
        let lower = |counter: &mut usize, limit: Option<u64>| {
            let limit = limit.and_then(|limit| usize::try_from(limit).ok());
            *counter = limit.map_or(*counter, |limit| limit.min(*counter));
        };
        lower(&mut self.explicit, own.require_explicit);
        lower(&mut self.mapping, own.inhibit_mapping);
        lower(&mut self.any, own.inhibit_any);
        Ok(())
    }

    /// RFC 5280, 6.1.5 g: whether a policy of the chain is among the acceptable ones.
    fn is_acceptable(&mut self, demands: &PolicyDemands<'_>) -> Result<bool, Fault> {
        let Some(graph) = self.graph.take() else { return Ok(false) };
        let Some(acceptable) = demands.acceptable.filter(|list| !list.contains(&ANY)) else {
            return Ok(true);
        };
        let Some(last) = graph.last() else { return Ok(false) };
        if last.contains_key(&ANY) {
            return Ok(!acceptable.is_empty());
        }
        // From the end back to where each way left "any": those are the anchor's own policies.
        let mut reached: BTreeSet<Oid> = last.keys().copied().collect();
        for level in graph.iter().rev() {
            let mut above = BTreeSet::new();
            for policy in reached {
                let Some(node) = level.get(&policy) else { continue };
                self.spend(1 + node.parents.len())?;
                if policy != ANY && node.parents == [ANY] && acceptable.contains(&policy) {
                    return Ok(true);
                }
                above.extend(node.parents.iter().copied());
            }
            reached = above;
        }
        Ok(false)
    }
}

fn with(mut graph: Vec<Level>, level: Level) -> Vec<Level> {
    graph.push(level);
    graph
}

/// What one certificate says about policies.
#[derive(Default)]
struct Own {
    policies: Option<BTreeSet<Oid>>,
    mappings: Vec<(Oid, Oid)>,
    require_explicit: Option<u64>,
    inhibit_mapping: Option<u64>,
    inhibit_any: Option<u64>,
}

impl Own {
    fn read(certificate: &Certificate) -> Result<Self, Malformed> {
        let value = |oid| certificate.extensions().get(oid).map(|found| found.value.as_slice());
        let mut own = Self::default();
        if let Some(value) = value(oids::CERTIFICATE_POLICIES) {
            own.policies = Some(read_policies(value)?);
        }
        if let Some(value) = value(oids::POLICY_MAPPINGS) {
            let what = "policy mappings";
            let mut list = whole(value, what)?;
            while !list.is_empty() {
                let mut pair = list.sequence(what)?;
                own.mappings.push((pair.oid(what)?, pair.oid(what)?));
                pair.finish(what)?;
            }
        }
        if let Some(value) = value(oids::POLICY_CONSTRAINTS) {
            let what = "policy constraints";
            let mut members = whole(value, what)?;
            let mut member = |n: u8| -> Result<Option<u64>, Malformed> {
                let found = members.optional(context_primitive(n), what)?;
                found.map(|found| count(found.content, what)).transpose()
            };
            (own.require_explicit, own.inhibit_mapping) = (member(0)?, member(1)?);
            members.finish(what)?;
        }
        if let Some(value) = value(oids::INHIBIT_ANY_POLICY) {
            let what = "inhibit any policy";
            let mut reader = Reader::new(value);
            own.inhibit_any = Some(count(reader.expect(INTEGER, what)?.content, what)?);
            reader.finish(what)?;
        }
        Ok(own)
    }
}

fn read_policies(value: &[u8]) -> Result<BTreeSet<Oid>, Malformed> {
    let what = "certificate policies";
    let mut list = whole(value, what)?;
    let mut policies = BTreeSet::new();
    while !list.is_empty() {
        policies.insert(list.sequence(what)?.oid(what)?);
    }
    Ok(policies)
}

fn whole<'a>(value: &'a [u8], what: &'static str) -> Result<Reader<'a>, Malformed> {
    let mut outer = Reader::new(value);
    let inner = outer.sequence(what)?;
    outer.finish(what)?;
    Ok(inner)
}

/// SkipCerts: more than a number of 64 bits never takes effect.
fn count(content: &[u8], what: &'static str) -> Result<u64, Malformed> {
    match content.first() {
        None => Err(Malformed::new(what, "have an empty number")),
        Some(first) if first & 0x80 != 0 => Err(Malformed::new(what, "have a negative number")),
        Some(_) => Ok(small_unsigned(content, what).unwrap_or(u64::MAX)),
    }
}
